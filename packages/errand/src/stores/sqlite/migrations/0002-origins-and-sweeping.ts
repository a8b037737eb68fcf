/** Runs are found by the run they began from, and may have lost their conversation. Never changed once released. */
export const MIGRATION_0002 = `
-- The run whose transcript this one began with.
alter table runs add column resumed_from text;
-- 1: its events were deleted, and the row stays.
alter table runs add column swept integer not null default 0;
-- Rows that have nothing to say stay untouched; where one is damaged, the run's first event says it.
update runs set resumed_from = json_extract(record, '$.resumed_from')
  where case when json_valid(record) then json_extract(record, '$.resumed_from') end is not null;
update runs set resumed_from = (
  select case when json_valid(data) then json_extract(data, '$.resumed_from') end
  from events where events.run_id = runs.run_id and seq = 1
) where not json_valid(record);
create index runs_by_origin on runs (resumed_from) where resumed_from is not null;
`;
