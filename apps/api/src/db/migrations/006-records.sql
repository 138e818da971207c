-- Pending changes of record settings that shorten retention. The effective time is stored, so that restarts and backups keep it.
create table record_cuts (
  company_id bigint primary key references companies on delete cascade,
  retention_days int check (retention_days between 1 and 366),
  keep_names boolean not null,
  user_id bigint references users on delete set null,
  in_force_at timestamptz not null
);
create index record_cuts_user on record_cuts (user_id) where user_id is not null;

-- Creates the monthly partitions of records, from last month to `ahead` months ahead. When no api ran in time to create a
-- partition, the rows of its month are in records_rest, and PostgreSQL would refuse to create the partition. The function
-- therefore moves these rows into the new partition.
create or replace function add_record_months(ahead integer) returns void language plpgsql as $$
declare
  month timestamp;
  part text;
  first timestamptz;
  past timestamptz;
begin
  for month in select date_trunc('month', now() at time zone 'UTC') + n * interval '1 month' from generate_series(-1, ahead) as n loop
    part := 'records_' || to_char(month, 'YYYY_MM');
    continue when to_regclass(part) is not null;
    first := month at time zone 'UTC';
    past := (month + interval '1 month') at time zone 'UTC';
    lock table records in share row exclusive mode;
    create temporary table if not exists misplaced (like records) on commit drop;
    delete from misplaced;
    insert into misplaced select * from records_rest where started_at >= first and started_at < past;
    delete from records_rest where started_at >= first and started_at < past;
    execute format('create table %I partition of records for values from (%L) to (%L)', part, first, past);
    insert into records select * from misplaced;
  end loop;
end $$;
