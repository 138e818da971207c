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
