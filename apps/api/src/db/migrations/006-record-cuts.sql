-- Settings of records that remove stored ones, until they come into force. The moment is the database's, so that restarts and
-- backups keep it.
create table record_cuts (
  company_id bigint primary key references companies on delete cascade,
  retention_days int check (retention_days between 1 and 366),
  keep_names boolean not null,
  user_id bigint references users on delete set null,
  in_force_at timestamptz not null
);
create index record_cuts_user on record_cuts (user_id) where user_id is not null;
