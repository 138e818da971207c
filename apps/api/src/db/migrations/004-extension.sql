-- Whose a session is: one of the browser extension tells that the extension is in use.
alter table sessions add client text not null default 'console' check (client in ('console', 'extension'));

-- When the person's extension last asked for access, by the day; neither the entity's version nor the feed moves with it.
alter table users add extension_seen_at timestamptz;

-- Codes that sign the extension in without a password. One row works once, and dies with the session that made it, and so
-- with a new password, a logout and a deletion.
create table pairing_codes (
  token_hash bytea primary key,
  session_hash bytea not null references sessions on delete cascade,
  user_id bigint not null references users on delete cascade,
  expires_at timestamptz not null
);
create index pairing_codes_session on pairing_codes (session_hash);
create index pairing_codes_user on pairing_codes (user_id);

-- Who holds a host on shared egress, asked for one host at a time.
create index sites_claimed_host on sites (split_part(address, ':', 1)) where claim is not null;
