-- The last visit of each user (site_id 0) and of each site (user_id 0). Unlike records, these rows do not expire: without a row,
-- there was no visit. `at` is null when visits before the first kept record are possible. The table has no foreign keys, because
-- a user or site that is deleted while a batch is stored must not make the batch fail.
create table last_visits (
  company_id bigint not null,
  user_id bigint not null,
  site_id bigint not null,
  at timestamptz,
  primary key (company_id, user_id, site_id)
);
insert into last_visits
  select company_id, user_id, 0, max(hour) from record_hours where visits > 0 and reason = '' and user_id <> 0 group by 1, 2
  union all
  select company_id, 0, site_id, max(hour) from record_hours where visits > 0 and reason = '' and site_id <> 0 group by 1, 3;
delete from last_visits v where not exists (select from users u where u.company_id = v.company_id and u.id = v.user_id)
  and not exists (select from sites s where s.company_id = v.company_id and s.id = v.site_id);
-- Rows that are older than the records of their company may have had visits whose records have expired.
with since as (
  select id, greatest(coalesce((select min(hour) from record_hours), now()), now() - make_interval(days => record_days)) as at from companies
)
insert into last_visits
  select u.company_id, u.id, 0, null::timestamptz from users u join since on since.id = u.company_id where u.created_at < since.at
  union all
  select s.company_id, 0, s.id, null from sites s join since on since.id = s.company_id where s.created_at < since.at
  on conflict do nothing;

create function remove_last_visits() returns trigger language plpgsql set plan_cache_mode = force_generic_plan as $$
begin
  if tg_table_name = 'users' then
    delete from last_visits v using old_rows o where v.company_id = o.company_id and v.user_id = o.id and v.site_id = 0;
  else
    delete from last_visits v using old_rows o where v.company_id = o.company_id and v.site_id = o.id and v.user_id = 0;
  end if;
  return null;
end $$;
create trigger remove_last_visits after delete on users referencing old table as old_rows
  for each statement execute function remove_last_visits();
create trigger remove_last_visits after delete on sites referencing old table as old_rows
  for each statement execute function remove_last_visits();
