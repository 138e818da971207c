-- The outbox of mail: rows written in the transaction of the change that causes the mail, and deleted once it was sent.
create table mails (
  id uuid primary key,
  -- Recipient, code and facts, sealed for this row: they hold links that open accounts.
  sealed bytea not null,
  created_at timestamptz not null default now(),
  -- Notices without a link have a limit of their own, and are sent after the links, which expire soon.
  has_link boolean not null,
  -- The mail expires with its link.
  expires_at timestamptz not null,
  -- The time of the next attempt; during an attempt the end of its lease.
  due_at timestamptz not null default now(),
  -- The attempt in progress. A process whose lease ended finds another value here and records nothing.
  run uuid,
  tries int not null default 0,
  -- The kind of the last failure (MailFailure of the contract), never the server's words.
  failure text
);
create index mails_due on mails (has_link desc, due_at);
create index mails_expiry on mails (expires_at);

-- Nothing read it. The metric propusk_gateway_snapshot_version tells which version a gateway enforces.
drop table gateway_acknowledgements;

-- An agent who was invited by mail and has set no password yet: in no snapshot.
alter table users add column invited boolean not null default false;
-- The owner who made an invitation; null for any other link. The link ends with the owner's role.
alter table mail_links add column made_by bigint references users on delete cascade;
create index mail_links_maker on mail_links (made_by);

-- A snapshot holds the address family of the gateway's egress: the first address of a family, and the loss of the last, bump every
-- company whose policies name the gateway.
create function bump_egress_family() returns trigger language plpgsql as $$
begin
  perform bump_policy_version(array(
    select distinct p.company_id from changed c
      join proxies x on x.owner_id = c.owner_id and x.id = c.proxy_id and x.direct
      join policies p on p.proxy_id = x.id
      where not exists (select from proxy_egress e
        where e.owner_id = c.owner_id and e.proxy_id = c.proxy_id and (e.address like '%:%') = (c.address like '%:%')
          and not exists (select from changed n where n.owner_id = e.owner_id and n.proxy_id = e.proxy_id
            and n.address = e.address))));
  return null;
end $$;
create trigger bump_insert after insert on proxy_egress referencing new table as changed
  for each statement execute function bump_egress_family();
create trigger bump_delete after delete on proxy_egress referencing old table as changed
  for each statement execute function bump_egress_family();

-- What companies pay and may have. Null limits: those of the product alone.
create table plans (
  id bigint primary key generated always as identity,
  version bigint not null default 1,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  -- Empty for the plan of a fresh installation until an ADMIN names it.
  name text not null,
  -- In the smallest unit of the currency.
  price_amount bigint,
  price_currency text,
  people int check (people between 1 and 1000),
  sites int check (sites between 1 and 1000),
  proxies int check (proxies between 1 and 1000),
  paid_proxies boolean not null,
  all_sites boolean not null,
  offered boolean not null,
  trial boolean not null default false,
  -- In force for companies without another plan.
  standard boolean not null default false,
  check ((price_amount is null) = (price_currency is null))
);
create unique index plans_trial on plans (trial) where trial;
create unique index plans_standard on plans (standard) where standard;
insert into plans (name, paid_proxies, all_sites, offered, standard) values ('', true, true, true, true);

alter table companies
  add column plan_id bigint references plans,
  add column plan_ends_at timestamptz,
  add column trial_ends_at timestamptz,
  add column phone text not null default '',
  -- When the right to paid proxies ends or ended; null while no end is known.
  add column paid_ends_at timestamptz,
  -- Whether the 14 days after that are over: the gateway refuses the policies on paid proxies.
  add column paid_stopped boolean not null default false;
create index companies_plan on companies (plan_id);
create index companies_paid_end on companies (paid_ends_at) where paid_ends_at is not null;
create index companies_ends on companies (least(plan_ends_at, trial_ends_at))
  where plan_ends_at is not null or trial_ends_at is not null;

-- The plan in force: the trial's during the trial, else the company's own until its end, else the standard one.
create function plan_of(c companies) returns plans language sql stable as $$
  select p from plans p where (p.trial and c.trial_ends_at > now())
    or (p.id = c.plan_id and (c.plan_ends_at is null or c.plan_ends_at > now())) or p.standard
  order by (p.trial and c.trial_ends_at > now()) is true desc, p.id = c.plan_id desc nulls last limit 1
$$;

-- Derives the end of paid proxies from the ends of the plans that include them. A right that is lost at once ends now; an end that
-- has passed stays where it is.
create function set_paid_end() returns trigger language plpgsql as $$
declare
  ends timestamptz;
  lost timestamptz := case when old.paid_ends_at <= now() then old.paid_ends_at else now() end;
begin
  select max(case when standard then 'infinity' when id = new.plan_id then coalesce(new.plan_ends_at, 'infinity')
      else new.trial_ends_at end) into ends
    from plans where paid_proxies and (standard or id = new.plan_id or trial);
  new.paid_ends_at := case when ends = 'infinity' then null when ends > now() then ends else lost end;
  if new.paid_ends_at is null or new.paid_ends_at > now() - interval '14 days' then
    new.paid_stopped := false;
  end if;
  return new;
end $$;
create trigger set_paid_end before update of plan_id, plan_ends_at, trial_ends_at on companies for each row
  execute function set_paid_end();
create trigger bump_paid after update on companies for each row
  when (old.paid_stopped <> new.paid_stopped) execute function bump_requirement();

-- A plan that gains or loses paid proxies, or the mark of the trial, changes the end for its companies.
create function touch_paid_end() returns trigger language plpgsql as $$
begin
  update companies c set plan_id = c.plan_id
    where new.standard or c.plan_id = new.id or (c.trial_ends_at > now() and (new.trial or old.trial));
  return null;
end $$;
create trigger touch_paid_end after update on plans for each row
  when (old.paid_proxies <> new.paid_proxies or old.trial <> new.trial) execute function touch_paid_end();

-- The operator's contact, one row.
create table contact (
  only_row boolean primary key default true check (only_row),
  name text not null default '',
  phone text not null default '',
  email text not null default '',
  telegram text not null default ''
);
insert into contact default values;

-- Requests of owners to the operator.
create table tariff_requests (
  id bigint primary key generated always as identity,
  company_id bigint not null references companies on delete cascade,
  kind text not null,
  plan_id bigint references plans,
  -- The owner's address, which gets the answer.
  email text not null,
  text text not null,
  state text not null default 'open',
  reply text not null default '',
  created_at timestamptz not null default now()
);
create unique index tariff_requests_open on tariff_requests (company_id, kind) where state = 'open';
create index tariff_requests_company on tariff_requests (company_id, id);
create index tariff_requests_state on tariff_requests (state, id);

-- Warnings that were mailed: each end is warned of once for each number of days.
create table plan_warnings (
  company_id bigint not null references companies on delete cascade,
  what text not null,
  ends_at timestamptz not null,
  days int not null,
  primary key (company_id, what, ends_at, days)
);
