-- Raises the policy version of companies. Does not update their claims to hosts, because users have no effect on claims.
create function raise_policy_version(company_ids bigint[]) returns void language plpgsql
  -- Otherwise PostgreSQL plans the statements again at every call, because it estimates lower costs for a known array.
  set plan_cache_mode = force_generic_plan as $$
begin
  if cardinality(company_ids) = 0 then return; end if;
  update companies set policy_version = policy_version + 1 where id = any (company_ids);
  perform pg_notify('propusk_policy', id::text)
    from (select distinct unnest(company_ids) as id) as changed where id is not null;
end $$;

-- Raises the policy version of companies and updates their claims to hosts.
create or replace function bump_policy_version(company_ids bigint[]) returns void language plpgsql
  set plan_cache_mode = force_generic_plan as $$
begin
  -- The updates below fire the triggers of their tables, which call this function with an empty array.
  if cardinality(company_ids) = 0 then return; end if;
  perform raise_policy_version(company_ids);
  -- Owner 0 is the platform. Its proxies are shared by all companies.
  with shared as (
    select distinct l.company_id, l.site_id from policy_sites l
      join policies p on p.company_id = l.company_id and p.id = l.policy_id
      join companies c on c.id = l.company_id
      where l.company_id = any (company_ids) and p.proxy_owner_id = 0 and c.confirmed
  )
  update sites s set claim = case when x.site_id is null then null else nextval('claims') end
    from sites t left join shared x on x.company_id = t.company_id and x.site_id = t.id
    where s.id = t.id and t.company_id = any (company_ids) and (t.claim is null) <> (x.site_id is null);
end $$;

create or replace function bump_inserted() returns trigger language plpgsql as $$
declare ids bigint[] := array(select distinct company_id from new_rows);
begin
  if tg_table_name in ('users', 'policy_users') then perform raise_policy_version(ids);
  else perform bump_policy_version(ids); end if;
  return null;
end $$;

create or replace function bump_deleted() returns trigger language plpgsql as $$
declare ids bigint[] := array(select distinct company_id from old_rows);
begin
  if tg_table_name in ('users', 'policy_users') then perform raise_policy_version(ids);
  else perform bump_policy_version(ids); end if;
  return null;
end $$;
