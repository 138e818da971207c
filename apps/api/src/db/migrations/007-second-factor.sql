-- A person's second factor: codes by time (RFC 6238). A row that nobody has confirmed yet asks for nothing.
create table second_factors (
  user_id bigint primary key references users on delete cascade,
  -- Sealed for this person: the database alone makes no codes.
  secret_sealed bytea not null,
  begun_at timestamptz not null default now(),
  confirmed_at timestamptz,
  -- The time step of the last code that was taken: none works twice (RFC 6238 section 5.2).
  last_step bigint not null default 0
);

-- Each signs in once in place of a code. What is kept is an HMAC over person and code.
create table recovery_codes (
  user_id bigint not null references second_factors on delete cascade,
  code_hash bytea not null,
  primary key (user_id, code_hash)
);

alter table companies add second_factor_required boolean not null default false;

-- Where a company requires it, a person without a second factor is in no snapshot: both are changes of access.
create function bump_second_factors() returns trigger language plpgsql as $$
begin
  perform bump_policy_version(array(select company_id from users where id = coalesce(new.user_id, old.user_id)));
  return null;
end $$;
create trigger bump_insert after insert on second_factors for each row
  when (new.confirmed_at is not null) execute function bump_second_factors();
create trigger bump_update after update on second_factors for each row
  when ((old.confirmed_at is null) <> (new.confirmed_at is null)) execute function bump_second_factors();
create trigger bump_delete after delete on second_factors for each row
  when (old.confirmed_at is not null) execute function bump_second_factors();

create function bump_requirement() returns trigger language plpgsql as $$
begin
  perform bump_policy_version(array[new.id]);
  return null;
end $$;
create trigger bump_requirement after update on companies for each row
  when (old.second_factor_required <> new.second_factor_required) execute function bump_requirement();
