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
