-- Where the traffic of each proxy leaves from, as our echo saw it when it was last called through the proxy.
create table proxy_egress (
  owner_id bigint not null,
  proxy_id bigint not null,
  address text not null,
  learned_at timestamptz not null default now(),
  confirmed_at timestamptz not null default now(),
  primary key (owner_id, proxy_id, address),
  foreign key (owner_id, proxy_id) references proxies (owner_id, id) on delete cascade
);

-- The last try to learn it.
create table proxy_learning (
  owner_id bigint not null,
  proxy_id bigint not null,
  tried_at timestamptz not null default now(),
  succeeded_at timestamptz,
  -- Why the last try failed: a Russian sentence.
  problem text,
  -- When the way out was last seen to be another one than before: locks pasted earlier let the old addresses in.
  moved_at timestamptz,
  -- Since when it stands where it stands: what was seen earlier is no way out of it.
  placed_at timestamptz,
  primary key (owner_id, proxy_id),
  foreign key (owner_id, proxy_id) references proxies (owner_id, id) on delete cascade
);
create index proxy_learning_age on proxy_learning (tried_at);

-- A proxy that stands elsewhere leaves from elsewhere, whatever was learned of it. Another name of the user may do so: by it
-- many a provider chooses the exit.
create function move_learning() returns trigger language plpgsql as $$
begin
  update proxy_learning set placed_at = now(),
    moved_at = case when (old.host, old.port) is distinct from (new.host, new.port) then now() else moved_at end
    where owner_id = new.owner_id and proxy_id = new.id;
  return null;
end $$;
create trigger move_learning after update on proxies for each row
  when ((old.host, old.port, old.username) is distinct from (new.host, new.port, new.username))
  execute function move_learning();

-- By which proxies, in which policies, the people of a company reach a site: those that name the site, and those for all
-- sites, which open 80 and 443. Two branches and no OR: inlined into a query over many sites, an OR of subqueries becomes a
-- hashed subplan that answers for the first of them alone.
create function site_ways(company bigint, site bigint) returns table (owner_id bigint, proxy_id bigint, policy_id bigint)
language sql stable as $$
  select x.owner_id, x.id, p.id from policy_sites l
    join policies p on p.company_id = l.company_id and p.id = l.policy_id
    join proxies x on x.id = p.proxy_id
    where l.company_id = company and l.site_id = site
  union
  select x.owner_id, x.id, p.id from sites s
    join policies p on p.company_id = s.company_id
    join proxies x on x.id = p.proxy_id
    where s.company_id = company and s.id = site and s.address not like '%:%' and p.all_sites and x.all_sites
$$;

-- What a probe's finding depends on: another one calls for another probe.
create function site_fingerprint(company bigint, site bigint) returns text language sql stable as $$
  select md5(s.address || coalesce((
    select string_agg(line, ';' order by line) from (
      select distinct x.id || ' ' || x.host || ' ' || x.port || ' ' || coalesce((
        select string_agg(e.address, ' ' order by e.address) from proxy_egress e
        where e.owner_id = x.owner_id and e.proxy_id = x.id), '') as line
      from site_ways(company, site) w join proxies x on x.owner_id = w.owner_id and x.id = w.proxy_id) as lines), ''))
  from sites s where s.company_id = company and s.id = site
$$;

-- The last probe of a site, or the one that is waited for or running, and what the last finished one said.
create table site_checks (
  company_id bigint not null,
  site_id bigint not null,
  state text not null check (state in ('waiting', 'running', 'done')),
  -- Whose it is: a runner that was taken for dead finds another one here and writes nothing more.
  run uuid,
  -- Whether somebody waits for it.
  asked boolean not null default false,
  begun_at timestamptz,
  started_at timestamptz not null default now(),
  finished_at timestamptz,
  steps jsonb not null default '[]',
  verdict text,
  meaning text,
  advice text,
  -- What lists show while the next probe runs.
  shown_verdict text,
  shown_at timestamptz,
  was_protected boolean not null default false,
  drifted boolean not null default false,
  fingerprint text,
  policy_version bigint,
  next_at timestamptz,
  primary key (company_id, site_id),
  foreign key (company_id, site_id) references sites (company_id, id) on delete cascade
);
create index site_checks_waiting on site_checks (started_at) where state <> 'done';
create index site_checks_next on site_checks (next_at) where state = 'done';

-- What was found of another address says nothing of this one.
create function forget_check() returns trigger language plpgsql as $$
begin
  update site_checks set state = 'waiting', run = null, begun_at = null, started_at = now(), finished_at = null,
    steps = '[]', verdict = null, meaning = null, advice = null, shown_verdict = null, shown_at = null,
    was_protected = false, drifted = false, fingerprint = null
    where company_id = new.company_id and site_id = new.id;
  return null;
end $$;
create trigger forget_check after update on sites for each row
  when (old.address is distinct from new.address) execute function forget_check();

-- Links that show the lock of a site without an account. They die with whoever made them.
create table lock_links (
  token_hash bytea primary key,
  company_id bigint not null,
  site_id bigint not null,
  made_by bigint not null references users on delete cascade,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  foreign key (company_id, site_id) references sites (company_id, id) on delete cascade
);
create index lock_links_site on lock_links (company_id, site_id);
create index lock_links_maker on lock_links (made_by);
