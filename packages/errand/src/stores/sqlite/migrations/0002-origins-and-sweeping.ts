/** In SQL, whether the record of a row can be read and is about that row's own run. */
const READABLE = "case when json_valid(record) then json_extract(record, '$.run_id') is run_id else 0 end";

/**
 * Runs are found by the run they began from, are known by the call that made them even where nothing else of them can be
 * read, and may have lost their conversation. Never changed once released.
 */
export const MIGRATION_0002 = `
-- The run whose transcript this one began with.
alter table runs add column resumed_from text;
-- The call of the parent that made it.
alter table runs add column call_id text;
-- 1: its events were deleted, and the row stays.
alter table runs add column swept integer not null default 0;
-- Rows that have nothing to say stay untouched; where one is damaged, the run's first event says it.
update runs set resumed_from = json_extract(record, '$.resumed_from'), call_id = json_extract(record, '$.call_id')
  where case when ${READABLE}
    then coalesce(json_extract(record, '$.resumed_from'), json_extract(record, '$.call_id')) end is not null;
update runs set (resumed_from, call_id) = (
  select case when json_valid(data) then json_extract(data, '$.resumed_from') end,
    case when json_valid(data) then json_extract(data, '$.call_id') end
  from events where events.run_id = runs.run_id and seq = 1
) where not ${READABLE};
create index runs_by_resumed_from on runs (resumed_from) where resumed_from is not null;
`;
