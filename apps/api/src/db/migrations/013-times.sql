-- Rights with times, and suspended users. The previous release reads only `policy_users`. Therefore `timed_members` holds the
-- memberships that end, those of suspended users, and those of policies with times: an api of the previous release finds none of
-- them and denies access.
alter table policies
  add column valid_from timestamptz,
  add column valid_until timestamptz,
  -- Pairs of minutes of the week; see `Windows` of the contract.
  add column windows jsonb,
  -- Null: the zone of the company.
  add column zone text,
  -- When the end was set. Together with the end, this decides when a warning is due.
  add column until_set_at timestamptz not null default now(),
  add column timed boolean generated always as (valid_from is not null or valid_until is not null or windows is not null) stored;
alter table users
  add column suspended_at timestamptz,
  -- Null: the suspension lasts until a call lifts it.
  add column suspended_until timestamptz;
-- The index is on an expression, so that the planner does not choose it for queries of one company.
create index users_suspended_until on users ((suspended_until at time zone 'UTC'));

create table timed_members (
  company_id bigint not null,
  policy_id bigint not null,
  user_id bigint not null,
  -- Null: the membership does not end.
  ends_at timestamptz,
  set_at timestamptz not null default now(),
  primary key (company_id, policy_id, user_id),
  foreign key (company_id, policy_id) references policies (company_id, id) on delete cascade,
  foreign key (company_id, user_id) references users (company_id, id) on delete cascade
);
create index timed_members_user on timed_members (company_id, user_id);

-- The task that warns before a right ends uses these indexes. They are on expressions, so that the planner does not choose them
-- for queries of one company.
create index timed_members_end on timed_members ((ends_at at time zone 'UTC'));
create index policies_end on policies ((valid_until at time zone 'UTC'));

create view policy_members as
  select company_id, policy_id, user_id, null::timestamptz as ends_at from policy_users
  union all select company_id, policy_id, user_id, ends_at from timed_members;

-- Stores a new membership in `timed_members` if its policy has times or its user is suspended. A membership that is there already keeps its end.
create function divert_member() returns trigger language plpgsql as $$
begin
  if exists (select from timed_members t
      where t.company_id = new.company_id and t.policy_id = new.policy_id and t.user_id = new.user_id) then
    return null;
  end if;
  if exists (select from policies p where p.company_id = new.company_id and p.id = new.policy_id and p.timed)
      or exists (select from users u where u.company_id = new.company_id and u.id = new.user_id and u.suspended_at is not null) then
    insert into timed_members (company_id, policy_id, user_id) values (new.company_id, new.policy_id, new.user_id);
    return null;
  end if;
  return new;
end $$;
create trigger divert before insert on policy_users for each row execute function divert_member();

-- Moves the memberships of policies and of users to the table in which they belong.
create function place_members(company bigint, of_policies bigint[], of_users bigint[]) returns void language plpgsql as $$
declare moved bigint[][];
begin
  with gone as (
    delete from policy_users m using policies p, users u
      where m.company_id = company and (m.policy_id = any (of_policies) or m.user_id = any (of_users))
        and p.company_id = company and p.id = m.policy_id and u.company_id = company and u.id = m.user_id
        and (p.timed or u.suspended_at is not null)
      returning m.policy_id, m.user_id
  )
  insert into timed_members (company_id, policy_id, user_id) select company, policy_id, user_id from gone;
  with gone as (
    delete from timed_members m using policies p, users u
      where m.company_id = company and (m.policy_id = any (of_policies) or m.user_id = any (of_users)) and m.ends_at is null
        and p.company_id = company and p.id = m.policy_id and u.company_id = company and u.id = m.user_id
        and not p.timed and u.suspended_at is null
      returning m.policy_id, m.user_id
  )
  select array_agg(array[policy_id, user_id]) into moved from gone;
  insert into policy_users (company_id, policy_id, user_id)
    select company, moved[n][1], moved[n][2] from generate_subscripts(moved, 1) as n;
end $$;

create function place_members_of() returns trigger language plpgsql as $$
begin
  if tg_table_name = 'users' then perform place_members(new.company_id, '{}', array[new.id]);
  else perform place_members(new.company_id, array[new.id], '{}'); end if;
  return null;
end $$;
create trigger place_members after update on policies for each row
  when (old.timed <> new.timed) execute function place_members_of();
create trigger place_members after update on users for each row
  when ((old.suspended_at is null) <> (new.suspended_at is null)) execute function place_members_of();

-- Memberships do not affect claims, so the trigger functions of their tables only raise the policy version.
create or replace function bump_inserted() returns trigger language plpgsql as $$
declare ids bigint[] := array(select distinct company_id from new_rows);
begin
  if tg_table_name in ('users', 'policy_users', 'timed_members') then perform raise_policy_version(ids);
  else perform bump_policy_version(ids); end if;
  return null;
end $$;
create or replace function bump_deleted() returns trigger language plpgsql as $$
declare ids bigint[] := array(select distinct company_id from old_rows);
begin
  if tg_table_name in ('users', 'policy_users', 'timed_members') then perform raise_policy_version(ids);
  else perform bump_policy_version(ids); end if;
  return null;
end $$;
create function bump_updated_members() returns trigger language plpgsql as $$
begin
  perform raise_policy_version(array(select company_id from old_rows union select company_id from new_rows));
  return null;
end $$;
create trigger bump_insert after insert on timed_members referencing new table as new_rows
  for each statement execute function bump_inserted();
create trigger bump_delete after delete on timed_members referencing old table as old_rows
  for each statement execute function bump_deleted();
create trigger bump_update after update on timed_members referencing old table as old_rows new table as new_rows
  for each statement execute function bump_updated_members();

create function bump_times() returns trigger language plpgsql as $$
begin
  perform raise_policy_version(array[new.company_id]);
  return null;
end $$;
create trigger bump_times after update on policies for each row
  when ((old.valid_from, old.valid_until, old.windows, old.zone) is distinct from
    (new.valid_from, new.valid_until, new.windows, new.zone)) execute function bump_times();
create trigger bump_suspension after update on users for each row
  when ((old.suspended_at is null) <> (new.suspended_at is null)) execute function bump_times();
create trigger bump_zone after update on companies for each row
  when (old.time_zone <> new.time_zone) execute function bump_requirement();

create function note_end() returns trigger language plpgsql as $$
begin
  new.until_set_at = now();
  return new;
end $$;
create trigger note_end before update on policies for each row
  when (old.valid_until is distinct from new.valid_until) execute function note_end();

-- Converts a text, which is a time or a day, to an instant. If the text is an end, a day means the end of that day in the given
-- zone. Otherwise it means the start of the day.
create function moment_of(given text, zone text, is_end boolean) returns timestamptz language sql stable as $$
  select case when given ~ '^\d{4}-\d\d-\d\d$'
    then (given::date + case when is_end then 1 else 0 end)::timestamp at time zone zone
    else given::timestamptz end
$$;

-- Sets the ends of memberships, each given once, and raises the versions of their policies and users. Null removes an end.
-- Returns the positions, from 1, of the pairs that are not memberships.
create function set_ends(company bigint, of_policies bigint[], of_users bigint[], ends text[]) returns int[] language plpgsql as $$
declare
  absent int[];
  freed bigint[];
begin
  with given as (
    select g.place, g.policy, g.person, m.user_id is null as is_absent, m.ends_at as old_end,
        moment_of(g.ending, coalesce(p.zone, c.time_zone), true) as new_end
      from unnest(of_policies, of_users, ends) with ordinality as g (policy, person, ending, place)
        left join policies p on p.company_id = company and p.id = g.policy
        left join companies c on c.id = company
        left join policy_members m on m.company_id = company and m.policy_id = g.policy and m.user_id = g.person
  ), changed as (select * from given where not is_absent and old_end is distinct from new_end),
  gone as (
    delete from policy_users m using changed x where m.company_id = company and m.policy_id = x.policy and m.user_id = x.person
  ), stored as (
    insert into timed_members (company_id, policy_id, user_id, ends_at) select company, policy, person, new_end from changed
      on conflict (company_id, policy_id, user_id) do update set ends_at = excluded.ends_at, set_at = now()
  ), touched_policies as (
    update policies set version = version + 1, updated_at = now() where company_id = company and id in (select policy from changed)
  ), touched_users as (
    update users set version = version + 1, updated_at = now() where company_id = company and id in (select person from changed)
  )
  select array(select place::int from given where is_absent), array(select distinct policy from changed where new_end is null)
    into absent, freed;
  perform place_members(company, freed, '{}');
  return absent;
end $$;
