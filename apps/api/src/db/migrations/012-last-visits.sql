-- The last visit of each user (site_id 0) and of each site (user_id 0). Unlike records, these rows do not expire: without a row,
-- there was no visit. `at` is null when visits before the first kept record are possible. The table has no foreign keys and no
-- triggers, because a batch of all companies must neither fail nor wait when a company deletes a user or site. The keeper of
-- records deletes the rows of deleted users and sites.
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
-- Users and sites that are older than the records of their company may have had visits whose records have expired.
with since as (
  select id, greatest(coalesce((select min(hour) from record_hours), now()), now() - make_interval(days => record_days)) as at from companies
)
insert into last_visits
  select u.company_id, u.id, 0, null::timestamptz from users u join since on since.id = u.company_id where u.created_at < since.at
  union all
  select s.company_id, 0, s.id, null from sites s join since on since.id = s.company_id where s.created_at < since.at
  on conflict do nothing;
