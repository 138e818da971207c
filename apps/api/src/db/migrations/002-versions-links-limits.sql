-- What `ETag` and `If-Match` speak of: rises with every edit of the entity, its links to others included.
alter table companies add version bigint not null default 1;
alter table users add version bigint not null default 1;
alter table proxies add version bigint not null default 1;
alter table sites add version bigint not null default 1;
alter table policies add version bigint not null default 1;

-- A person without roles is in no snapshot, so a change of roles is one of access.
create or replace function bump_updated_users() returns trigger language plpgsql as $$
begin
  perform bump_policy_version(array(
    select unnest(array[o.company_id, n.company_id]) from old_rows o join new_rows n using (id)
    where (o.company_id, o.gateway_epoch, o.roles) is distinct from (n.company_id, n.gateway_epoch, n.roles)));
  return null;
end $$;

-- Links in mail: a new password, or a new address to sign in with. One row works once.
create table mail_links (
  token_hash bytea primary key,
  user_id bigint not null references users on delete cascade,
  -- null: the link sets a password.
  new_email citext,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null
);
create index mail_links_user on mail_links (user_id);

-- What a create answered, so that the same key is answered the same again.
create table idempotency_keys (
  user_id bigint not null references users on delete cascade,
  key text not null,
  -- HMAC of the call and its body: bodies hold passwords.
  fingerprint bytea not null,
  reply jsonb,
  created_at timestamptz not null default now(),
  primary key (user_id, key)
);

create index idempotency_keys_age on idempotency_keys (created_at);

-- The table of rate-limiter-flexible: tries of a key, which is a hash, until a moment in milliseconds.
create table rate_limits (
  key varchar(255) primary key,
  points integer not null default 0,
  expire bigint
);

-- Search by `name` over the whole platform. The expressions are those of `db/list.ts`.
create index users_name_trgm on users using gin ((name::text) gin_trgm_ops);
create index users_surname_trgm on users using gin ((surname::text) gin_trgm_ops);
create index users_email_trgm on users using gin ((email::text) gin_trgm_ops);
create index companies_name_trgm on companies using gin ((company_name::text) gin_trgm_ops);
create index companies_site_trgm on companies using gin ((company_site::text) gin_trgm_ops);
create index proxies_host_trgm on proxies using gin ((host::text) gin_trgm_ops);
create index sites_address_trgm on sites using gin ((address::text) gin_trgm_ops);
create index sites_shown_address_trgm on sites using gin ((shown_address::text) gin_trgm_ops);
create index policies_name_trgm on policies using gin ((name::text) gin_trgm_ops);
create index policies_description_trgm on policies using gin ((description::text) gin_trgm_ops);
