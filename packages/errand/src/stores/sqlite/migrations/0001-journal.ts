/** Runs, their events and large texts, the processes that drive them, and what is asked of these. Never changed once released. */
export const MIGRATION_0001 = `
create table runs (
  -- Order of creation.
  number integer primary key,
  run_id text not null unique,
  parent_id text,
  root_id text not null,
  session_id text not null,
  state text not null,
  live integer not null,
  created_at real not null,
  started_at real,
  ended_at real,
  -- Of the last event.
  seq integer not null,
  record text not null
) strict;
create index runs_by_root on runs (root_id);
create index runs_live on runs (live) where live = 1;
create index runs_by_creation on runs (created_at);
create index runs_by_end on runs (ended_at) where ended_at is not null;

-- With a rowid: rows are added at the end, whatever the run. Kept in order of runs, a tick of a thousand runs would
-- write a thousand pages.
create table events (
  run_id text not null,
  seq integer not null,
  at real not null,
  type text not null,
  -- Everything but the head, large texts left empty.
  data text not null,
  primary key (run_id, seq)
) strict;

create table blobs (
  -- SHA-256 of the bytes, in hex.
  address text not null unique,
  -- A text in UTF-8. Not a text column: Node 22 reads those up to the first NUL only.
  bytes blob not null,
  -- 1: stored for itself, and so kept when no event holds it.
  pinned integer not null
) strict;

-- Large texts of events: where each goes back, as a JSON list of keys.
create table event_texts (
  run_id text not null,
  seq integer not null,
  path text not null,
  address text not null,
  primary key (run_id, seq, path)
) strict, without rowid;
create index event_texts_by_address on event_texts (address);

create table boots (
  boot_id text not null primary key,
  pid integer not null,
  process_start text,
  host text not null,
  started_at real not null,
  -- Grows while the process lives.
  beats integer not null default 0,
  -- Taken of those that all processes share.
  slots integer not null default 0
) strict, without rowid;

-- Which process may write a tree of runs.
create table leases (
  root_id text not null primary key,
  -- Null: nobody. The row stays, so that no epoch is used twice.
  boot_id text,
  epoch integer not null
) strict, without rowid;
create index leases_by_boot on leases (boot_id) where boot_id is not null;

create table commands (
  id integer primary key autoincrement,
  boot_id text not null,
  data text not null
) strict;
create index commands_by_boot on commands (boot_id);

-- What runs that were deleted have used.
create table usage_totals (
  model text not null primary key,
  runs integer not null,
  input integer not null,
  cached integer not null,
  output integer not null,
  reasoning integer not null,
  unknown_calls integer not null
) strict, without rowid;
`;
