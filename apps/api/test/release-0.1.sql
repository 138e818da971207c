SELECT pg_catalog.set_config('search_path', '', false);
SET check_function_bodies = false;
CREATE EXTENSION IF NOT EXISTS citext WITH SCHEMA public;
CREATE EXTENSION IF NOT EXISTS pg_trgm WITH SCHEMA public;
CREATE FUNCTION public.add_audit_month(moment timestamp with time zone) RETURNS void
    LANGUAGE plpgsql
    AS $$
declare
  month timestamp := date_trunc('month', moment at time zone 'UTC');
  name text := 'audit_' || to_char(month, 'YYYY_MM');
begin
  if to_regclass(name) is not null then return; end if;
  execute format('create table %I partition of audit for values from (%L) to (%L)', name,
    month at time zone 'UTC', (month + interval '1 month') at time zone 'UTC');
  perform make_append_only(name::regclass);
end $$;
CREATE FUNCTION public.add_audit_months(ahead integer) RETURNS void
    LANGUAGE plpgsql
    AS $_$
declare
  misplaced boolean := false;
  columns constant text := 'id, at, company_id, company, actor_id, actor_name, actor_email, actor_roles, address, action,
    object_kind, object_id, object_name, changes';
begin
  if to_regclass('audit_rest') is not null then
    select exists (select from audit_rest) into misplaced;
  end if;
  if misplaced then
    -- Detaching locks the parent until the commit, so that no row comes between the copy and the drop.
    alter table audit detach partition audit_rest;
    alter table audit_rest rename to audit_misplaced;
    perform add_audit_month(month) from (
      select distinct date_trunc('month', at, 'UTC') as month from audit_misplaced) as months;
    execute format('insert into audit (%s) select %1$s from audit_misplaced', columns);
    drop table audit_misplaced;
  end if;
  perform add_audit_month(now() + n * interval '1 month') from generate_series(0, ahead) as n;
  if to_regclass('audit_rest') is null then
    create table audit_rest partition of audit default;
    perform make_append_only('audit_rest');
  end if;
end $_$;
CREATE FUNCTION public.bump_deleted() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
begin
  perform bump_policy_version(array(select distinct company_id from old_rows));
  return null;
end $$;
CREATE FUNCTION public.bump_inserted() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
begin
  perform bump_policy_version(array(select distinct company_id from new_rows));
  return null;
end $$;
CREATE FUNCTION public.bump_policy_version(company_ids bigint[]) RETURNS void
    LANGUAGE plpgsql
    AS $$
begin
  -- The updates below fire these triggers again, with nothing changed.
  if cardinality(company_ids) = 0 then return; end if;
  update companies set policy_version = policy_version + 1 where id = any (company_ids);
  -- 0 is the platform: its proxies are the shared ones.
  with shared as (
    select distinct l.company_id, l.site_id from policy_sites l
      join policies p on p.company_id = l.company_id and p.id = l.policy_id
      join companies c on c.id = l.company_id
      where l.company_id = any (company_ids) and p.proxy_owner_id = 0 and c.confirmed
  )
  update sites s set claim = case when x.site_id is null then null else nextval('claims') end
    from sites t left join shared x on x.company_id = t.company_id and x.site_id = t.id
    where s.id = t.id and t.company_id = any (company_ids) and (t.claim is null) <> (x.site_id is null);
  perform pg_notify('propusk_policy', id::text)
    from (select distinct unnest(company_ids) as id) as changed where id is not null;
end $$;
CREATE FUNCTION public.bump_requirement() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
begin
  perform bump_policy_version(array[new.id]);
  return null;
end $$;
CREATE FUNCTION public.bump_second_factors() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
begin
  perform bump_policy_version(array(select company_id from users where id = coalesce(new.user_id, old.user_id)));
  return null;
end $$;
CREATE FUNCTION public.bump_updated_links() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
begin
  perform bump_policy_version(array(select company_id from old_rows union select company_id from new_rows));
  return null;
end $$;
CREATE FUNCTION public.bump_updated_policies() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
begin
  perform bump_policy_version(array(
    select unnest(array[o.company_id, n.company_id]) from old_rows o join new_rows n using (id)
    where (o.company_id, o.proxy_id, o.all_sites) is distinct from (n.company_id, n.proxy_id, n.all_sites)));
  return null;
end $$;
CREATE FUNCTION public.bump_updated_proxies() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
begin
  perform bump_policy_version(array(
    select distinct p.company_id from old_rows o join new_rows n using (id) join policies p on p.proxy_id = n.id
    where (o.type, o.direct, o.all_sites, o.host, o.port, o.username, o.password_sealed)
      is distinct from (n.type, n.direct, n.all_sites, n.host, n.port, n.username, n.password_sealed)));
  return null;
end $$;
CREATE FUNCTION public.bump_updated_sites() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
begin
  perform bump_policy_version(array(
    select unnest(array[o.company_id, n.company_id]) from old_rows o join new_rows n using (id)
    where (o.company_id, o.address) is distinct from (n.company_id, n.address)));
  return null;
end $$;
CREATE FUNCTION public.bump_updated_users() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
begin
  perform bump_policy_version(array(
    select unnest(array[o.company_id, n.company_id]) from old_rows o join new_rows n using (id)
    where (o.company_id, o.gateway_epoch, o.roles) is distinct from (n.company_id, n.gateway_epoch, n.roles)));
  return null;
end $$;
CREATE FUNCTION public.drop_audit_months(retention_months integer) RETURNS SETOF text
    LANGUAGE plpgsql
    AS $_$
declare
  part record;
  held bigint;
begin
  for part in
    select c.relname::text as name, to_date(right(c.relname, 7), 'YYYY_MM')::timestamp as month
    from pg_inherits i join pg_class c on c.oid = i.inhrelid
    where i.inhparent = 'audit'::regclass and c.relname ~ '^audit_\d{4}_\d\d$' order by 1
  loop
    continue when part.month + interval '1 month'
      > date_trunc('month', now() at time zone 'UTC') - retention_months * interval '1 month';
    execute format('select count(*) from %I', part.name) into held;
    insert into audit_removals (partition, from_at, to_at, rows, retention_months) values (part.name,
      part.month at time zone 'UTC', (part.month + interval '1 month') at time zone 'UTC', held, retention_months);
    execute format('drop table %I', part.name);
    return next part.name;
  end loop;
end $_$;
CREATE FUNCTION public.forget_check() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
begin
  update site_checks set state = 'waiting', run = null, begun_at = null, started_at = now(), finished_at = null,
    steps = '[]', verdict = null, meaning = null, advice = null, shown_verdict = null, shown_at = null,
    was_protected = false, drifted = false, fingerprint = null
    where company_id = new.company_id and site_id = new.id;
  return null;
end $$;
CREATE FUNCTION public.make_append_only(tab regclass) RETURNS void
    LANGUAGE plpgsql
    AS $$
begin
  execute format('create trigger append_only before update or delete or truncate on %s
    for each statement execute function refuse_rewriting()', tab);
  execute format('alter table %s enable always trigger append_only', tab);
  execute format('revoke update, delete, truncate on %s from current_user', tab);
end $$;
CREATE FUNCTION public.move_learning() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
begin
  update proxy_learning set placed_at = now(),
    moved_at = case when (old.host, old.port) is distinct from (new.host, new.port) then now() else moved_at end
    where owner_id = new.owner_id and proxy_id = new.id;
  return null;
end $$;
CREATE FUNCTION public.notify_company_deleted() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
begin
  perform pg_notify('propusk_policy', old.id::text);
  return null;
end $$;
CREATE FUNCTION public.refuse_rewriting() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
begin
  raise exception 'the audit is append-only' using errcode = 'insufficient_privilege';
end $$;
CREATE FUNCTION public.site_fingerprint(company bigint, site bigint) RETURNS text
    LANGUAGE sql STABLE
    AS $$
  select md5(s.address || coalesce((
    select string_agg(line, ';' order by line) from (
      select distinct x.id || ' ' || x.host || ' ' || x.port || ' ' || coalesce((
        select string_agg(e.address, ' ' order by e.address) from proxy_egress e
        where e.owner_id = x.owner_id and e.proxy_id = x.id), '') as line
      from site_ways(company, site) w join proxies x on x.owner_id = w.owner_id and x.id = w.proxy_id) as lines), ''))
  from sites s where s.company_id = company and s.id = site
$$;
CREATE FUNCTION public.site_ways(company bigint, site bigint) RETURNS TABLE(owner_id bigint, proxy_id bigint, policy_id bigint)
    LANGUAGE sql STABLE
    AS $$
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
CREATE TABLE public.audit (
    id bigint NOT NULL,
    at timestamp with time zone DEFAULT now() NOT NULL,
    company_id bigint,
    company text DEFAULT ''::text NOT NULL,
    actor_id bigint NOT NULL,
    actor_name text NOT NULL,
    actor_email text NOT NULL,
    actor_roles text[] NOT NULL,
    address text NOT NULL,
    action text NOT NULL,
    object_kind text NOT NULL,
    object_id bigint NOT NULL,
    object_name text NOT NULL,
    changes jsonb DEFAULT '{}'::jsonb NOT NULL,
    words text GENERATED ALWAYS AS (((((actor_name || chr(10)) || actor_email) || chr(10)) || object_name)) STORED NOT NULL,
    CONSTRAINT audit_changes_check1 CHECK ((jsonb_typeof(changes) = 'object'::text))
)
PARTITION BY RANGE (at);
CREATE TABLE public.audit_2026_11 (
    id bigint NOT NULL,
    at timestamp with time zone DEFAULT now() NOT NULL,
    company_id bigint,
    company text DEFAULT ''::text NOT NULL,
    actor_id bigint NOT NULL,
    actor_name text NOT NULL,
    actor_email text NOT NULL,
    actor_roles text[] NOT NULL,
    address text NOT NULL,
    action text NOT NULL,
    object_kind text NOT NULL,
    object_id bigint NOT NULL,
    object_name text NOT NULL,
    changes jsonb DEFAULT '{}'::jsonb NOT NULL,
    words text GENERATED ALWAYS AS (((((actor_name || chr(10)) || actor_email) || chr(10)) || object_name)) STORED NOT NULL,
    CONSTRAINT audit_changes_check1 CHECK ((jsonb_typeof(changes) = 'object'::text))
);
CREATE TABLE public.audit_2026_12 (
    id bigint NOT NULL,
    at timestamp with time zone DEFAULT now() NOT NULL,
    company_id bigint,
    company text DEFAULT ''::text NOT NULL,
    actor_id bigint NOT NULL,
    actor_name text NOT NULL,
    actor_email text NOT NULL,
    actor_roles text[] NOT NULL,
    address text NOT NULL,
    action text NOT NULL,
    object_kind text NOT NULL,
    object_id bigint NOT NULL,
    object_name text NOT NULL,
    changes jsonb DEFAULT '{}'::jsonb NOT NULL,
    words text GENERATED ALWAYS AS (((((actor_name || chr(10)) || actor_email) || chr(10)) || object_name)) STORED NOT NULL,
    CONSTRAINT audit_changes_check1 CHECK ((jsonb_typeof(changes) = 'object'::text))
);
CREATE TABLE public.audit_2027_01 (
    id bigint NOT NULL,
    at timestamp with time zone DEFAULT now() NOT NULL,
    company_id bigint,
    company text DEFAULT ''::text NOT NULL,
    actor_id bigint NOT NULL,
    actor_name text NOT NULL,
    actor_email text NOT NULL,
    actor_roles text[] NOT NULL,
    address text NOT NULL,
    action text NOT NULL,
    object_kind text NOT NULL,
    object_id bigint NOT NULL,
    object_name text NOT NULL,
    changes jsonb DEFAULT '{}'::jsonb NOT NULL,
    words text GENERATED ALWAYS AS (((((actor_name || chr(10)) || actor_email) || chr(10)) || object_name)) STORED NOT NULL,
    CONSTRAINT audit_changes_check1 CHECK ((jsonb_typeof(changes) = 'object'::text))
);
CREATE TABLE public.audit_2027_02 (
    id bigint NOT NULL,
    at timestamp with time zone DEFAULT now() NOT NULL,
    company_id bigint,
    company text DEFAULT ''::text NOT NULL,
    actor_id bigint NOT NULL,
    actor_name text NOT NULL,
    actor_email text NOT NULL,
    actor_roles text[] NOT NULL,
    address text NOT NULL,
    action text NOT NULL,
    object_kind text NOT NULL,
    object_id bigint NOT NULL,
    object_name text NOT NULL,
    changes jsonb DEFAULT '{}'::jsonb NOT NULL,
    words text GENERATED ALWAYS AS (((((actor_name || chr(10)) || actor_email) || chr(10)) || object_name)) STORED NOT NULL,
    CONSTRAINT audit_changes_check1 CHECK ((jsonb_typeof(changes) = 'object'::text))
);
ALTER TABLE public.audit ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.audit_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.audit_removals (
    partition text NOT NULL,
    from_at timestamp with time zone NOT NULL,
    to_at timestamp with time zone NOT NULL,
    rows bigint NOT NULL,
    retention_months integer NOT NULL,
    removed_at timestamp with time zone DEFAULT now() NOT NULL
);
CREATE TABLE public.audit_rest (
    id bigint NOT NULL,
    at timestamp with time zone DEFAULT now() NOT NULL,
    company_id bigint,
    company text DEFAULT ''::text NOT NULL,
    actor_id bigint NOT NULL,
    actor_name text NOT NULL,
    actor_email text NOT NULL,
    actor_roles text[] NOT NULL,
    address text NOT NULL,
    action text NOT NULL,
    object_kind text NOT NULL,
    object_id bigint NOT NULL,
    object_name text NOT NULL,
    changes jsonb DEFAULT '{}'::jsonb NOT NULL,
    words text GENERATED ALWAYS AS (((((actor_name || chr(10)) || actor_email) || chr(10)) || object_name)) STORED NOT NULL,
    CONSTRAINT audit_changes_check1 CHECK ((jsonb_typeof(changes) = 'object'::text))
);
CREATE SEQUENCE public.claims
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
CREATE TABLE public.companies (
    id bigint NOT NULL,
    company_name text NOT NULL,
    company_site text NOT NULL,
    policy_version bigint DEFAULT 1 NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    version bigint DEFAULT 1 NOT NULL,
    second_factor_required boolean DEFAULT false NOT NULL,
    confirmed boolean DEFAULT true NOT NULL
);
ALTER TABLE public.companies ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.companies_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.company_invitations (
    id bigint NOT NULL,
    token_hash bytea NOT NULL,
    email public.citext NOT NULL,
    made_by bigint NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    expires_at timestamp with time zone NOT NULL
);
ALTER TABLE public.company_invitations ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.company_invitations_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.gateway_acknowledgements (
    gateway text NOT NULL,
    company_id bigint NOT NULL,
    version bigint NOT NULL,
    acknowledged_at timestamp with time zone DEFAULT now() NOT NULL
);
CREATE TABLE public.idempotency_keys (
    user_id bigint NOT NULL,
    key text NOT NULL,
    fingerprint bytea NOT NULL,
    reply jsonb,
    created_at timestamp with time zone DEFAULT now() NOT NULL
);
CREATE TABLE public.kysely_migration (
    name character varying(255) NOT NULL,
    "timestamp" character varying(255) NOT NULL
);
CREATE TABLE public.kysely_migration_lock (
    id character varying(255) NOT NULL,
    is_locked integer DEFAULT 0 NOT NULL
);
CREATE TABLE public.lock_links (
    token_hash bytea NOT NULL,
    company_id bigint NOT NULL,
    site_id bigint NOT NULL,
    made_by bigint NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    expires_at timestamp with time zone NOT NULL
);
CREATE TABLE public.mail_links (
    token_hash bytea NOT NULL,
    user_id bigint NOT NULL,
    new_email public.citext,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    expires_at timestamp with time zone NOT NULL
);
CREATE TABLE public.pairing_codes (
    token_hash bytea NOT NULL,
    session_hash bytea NOT NULL,
    user_id bigint NOT NULL,
    expires_at timestamp with time zone NOT NULL
);
CREATE TABLE public.platform (
    only_row boolean DEFAULT true NOT NULL,
    key_check bytea NOT NULL,
    CONSTRAINT platform_only_row_check CHECK (only_row)
);
CREATE TABLE public.policies (
    id bigint NOT NULL,
    company_id bigint NOT NULL,
    name text NOT NULL,
    description text NOT NULL,
    proxy_id bigint NOT NULL,
    proxy_owner_id bigint NOT NULL,
    all_sites boolean DEFAULT false NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    version bigint DEFAULT 1 NOT NULL,
    CONSTRAINT policies_check CHECK (((proxy_owner_id = 0) OR (proxy_owner_id = company_id)))
);
ALTER TABLE public.policies ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.policies_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.policy_sites (
    company_id bigint NOT NULL,
    policy_id bigint NOT NULL,
    site_id bigint NOT NULL
);
CREATE TABLE public.policy_users (
    company_id bigint NOT NULL,
    policy_id bigint NOT NULL,
    user_id bigint NOT NULL
);
CREATE TABLE public.proxies (
    id bigint NOT NULL,
    company_id bigint,
    owner_id bigint GENERATED ALWAYS AS (COALESCE(company_id, (0)::bigint)) STORED NOT NULL,
    type text NOT NULL,
    direct boolean DEFAULT false NOT NULL,
    all_sites boolean DEFAULT false NOT NULL,
    host text NOT NULL,
    port integer NOT NULL,
    username text DEFAULT ''::text NOT NULL,
    password_sealed bytea,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    version bigint DEFAULT 1 NOT NULL,
    CONSTRAINT proxies_check CHECK (((type = 'default'::text) = (company_id IS NULL))),
    CONSTRAINT proxies_check1 CHECK (((NOT direct) OR ((type = 'default'::text) AND (password_sealed IS NULL)))),
    CONSTRAINT proxies_port_check CHECK (((port >= 1) AND (port <= 65535))),
    CONSTRAINT proxies_type_check CHECK ((type = ANY (ARRAY['default'::text, 'payment'::text, 'users'::text])))
);
ALTER TABLE public.proxies ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.proxies_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.proxy_egress (
    owner_id bigint NOT NULL,
    proxy_id bigint NOT NULL,
    address text NOT NULL,
    learned_at timestamp with time zone DEFAULT now() NOT NULL,
    confirmed_at timestamp with time zone DEFAULT now() NOT NULL
);
CREATE TABLE public.proxy_learning (
    owner_id bigint NOT NULL,
    proxy_id bigint NOT NULL,
    tried_at timestamp with time zone DEFAULT now() NOT NULL,
    succeeded_at timestamp with time zone,
    problem jsonb,
    moved_at timestamp with time zone,
    placed_at timestamp with time zone
);
CREATE TABLE public.rate_limits (
    key character varying(255) NOT NULL,
    points integer DEFAULT 0 NOT NULL,
    expire bigint
);
CREATE TABLE public.recovery_codes (
    user_id bigint NOT NULL,
    code_hash bytea NOT NULL
);
CREATE TABLE public.second_factors (
    user_id bigint NOT NULL,
    secret_sealed bytea NOT NULL,
    begun_at timestamp with time zone DEFAULT now() NOT NULL,
    confirmed_at timestamp with time zone,
    last_step bigint DEFAULT 0 NOT NULL
);
CREATE TABLE public.sessions (
    token_hash bytea NOT NULL,
    user_id bigint NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    expires_at timestamp with time zone NOT NULL,
    client text DEFAULT 'console'::text NOT NULL,
    id bigint NOT NULL,
    last_seen_at timestamp with time zone DEFAULT now() NOT NULL,
    address text,
    agent text,
    told_access boolean DEFAULT false NOT NULL,
    CONSTRAINT sessions_agent_check CHECK ((length(agent) <= 200)),
    CONSTRAINT sessions_client_check CHECK ((client = ANY (ARRAY['console'::text, 'extension'::text])))
);
ALTER TABLE public.sessions ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.sessions_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.site_checks (
    company_id bigint NOT NULL,
    site_id bigint NOT NULL,
    state text NOT NULL,
    run uuid,
    asked boolean DEFAULT false NOT NULL,
    begun_at timestamp with time zone,
    started_at timestamp with time zone DEFAULT now() NOT NULL,
    finished_at timestamp with time zone,
    steps jsonb DEFAULT '[]'::jsonb NOT NULL,
    verdict text,
    meaning jsonb,
    advice jsonb,
    shown_verdict text,
    shown_at timestamp with time zone,
    was_protected boolean DEFAULT false NOT NULL,
    drifted boolean DEFAULT false NOT NULL,
    fingerprint text,
    policy_version bigint,
    next_at timestamp with time zone,
    CONSTRAINT site_checks_state_check CHECK ((state = ANY (ARRAY['waiting'::text, 'running'::text, 'done'::text])))
);
CREATE TABLE public.sites (
    id bigint NOT NULL,
    company_id bigint NOT NULL,
    address text NOT NULL,
    shown_address text NOT NULL,
    claim bigint,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    version bigint DEFAULT 1 NOT NULL
);
ALTER TABLE public.sites ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.sites_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.users (
    id bigint NOT NULL,
    company_id bigint,
    email public.citext NOT NULL,
    name text NOT NULL,
    surname text NOT NULL,
    password_hash text NOT NULL,
    roles text[] NOT NULL,
    gateway_epoch bigint DEFAULT 1 NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    version bigint DEFAULT 1 NOT NULL,
    extension_seen_at timestamp with time zone,
    CONSTRAINT users_roles_check CHECK ((roles <@ ARRAY['USER'::text, 'CREATOR'::text, 'ADMIN'::text]))
);
ALTER TABLE public.users ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.users_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.vantage_tasks (
    id uuid NOT NULL,
    vantage_id bigint NOT NULL,
    plan text NOT NULL,
    groups integer NOT NULL,
    reports jsonb DEFAULT '{}'::jsonb NOT NULL,
    taken_at timestamp with time zone,
    expires_at timestamp with time zone NOT NULL
);
CREATE TABLE public.vantages (
    id bigint NOT NULL,
    company_id bigint,
    name text NOT NULL,
    code_hash bytea,
    code_expires_at timestamp with time zone,
    key_sealed bytea,
    count bigint DEFAULT 0 NOT NULL,
    address text,
    seen_at timestamp with time zone,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT vantages_check CHECK (((code_hash IS NULL) = (code_expires_at IS NULL))),
    CONSTRAINT vantages_check1 CHECK (((code_hash IS NULL) <> (key_sealed IS NULL)))
);
ALTER TABLE public.vantages ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.vantages_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
ALTER TABLE ONLY public.audit ATTACH PARTITION public.audit_2026_11 FOR VALUES FROM ('2026-11-01 00:00:00+00') TO ('2026-12-01 00:00:00+00');
ALTER TABLE ONLY public.audit ATTACH PARTITION public.audit_2026_12 FOR VALUES FROM ('2026-12-01 00:00:00+00') TO ('2027-01-01 00:00:00+00');
ALTER TABLE ONLY public.audit ATTACH PARTITION public.audit_2027_01 FOR VALUES FROM ('2027-01-01 00:00:00+00') TO ('2027-02-01 00:00:00+00');
ALTER TABLE ONLY public.audit ATTACH PARTITION public.audit_2027_02 FOR VALUES FROM ('2027-02-01 00:00:00+00') TO ('2027-03-01 00:00:00+00');
ALTER TABLE ONLY public.audit ATTACH PARTITION public.audit_rest DEFAULT;
INSERT INTO public.audit_2026_11 VALUES
	(1, '2026-11-25 01:14:11.670056+00', 1, 'ООО Ромашка', 1, 'Иван', 'ivan@romashka.test', '{CREATOR}', '192.0.2.7', 'created', 'site', 1, 'crm.example.ru', '{}', DEFAULT);
INSERT INTO public.audit_removals VALUES
	('audit_2020_01', '2020-01-01 00:00:00+00', '2020-02-01 00:00:00+00', 7, 60, '2026-11-25 01:14:11.675959+00');
INSERT INTO public.audit_rest VALUES
	(2, '2025-10-25 01:14:11.670056+00', 1, 'ООО Ромашка', 1, 'Иван', 'ivan@romashka.test', '{CREATOR}', '192.0.2.7', 'created', 'site', 1, 'crm.example.ru', '{}', DEFAULT),
	(3, '2024-09-25 01:14:11.670056+00', 1, 'ООО Ромашка', 1, 'Иван', 'ivan@romashka.test', '{CREATOR}', '192.0.2.7', 'created', 'site', 1, 'crm.example.ru', '{}', DEFAULT);
INSERT INTO public.companies VALUES
	(2, 'Б', 'b.test', 1, '2026-11-25 01:14:11.58616+00', '2026-11-25 01:14:11.58616+00', 1, false, true),
	(1, 'ООО Ромашка', 'romashka.test', 6, '2026-11-25 01:14:11.58616+00', '2026-11-25 01:14:11.58616+00', 1, false, true);
INSERT INTO public.kysely_migration VALUES
	('001-entities', '2026-11-25T01:14:09.333Z'),
	('002-versions-links-limits', '2026-11-25T01:14:09.381Z'),
	('003-locks-and-checks', '2026-11-25T01:14:09.468Z'),
	('004-extension', '2026-11-25T01:14:09.514Z'),
	('005-sessions', '2026-11-25T01:14:09.697Z'),
	('006-audit', '2026-11-25T01:14:09.822Z'),
	('007-second-factor', '2026-11-25T01:14:09.841Z'),
	('008-told-access', '2026-11-25T01:14:09.843Z'),
	('009-growth', '2026-11-25T01:14:10.021Z'),
	('010-check-codes', '2026-11-25T01:14:10.068Z'),
	('011-registration', '2026-11-25T01:14:10.116Z'),
	('012-vantages', '2026-11-25T01:14:10.170Z');
INSERT INTO public.kysely_migration_lock VALUES
	('migration_lock', 0);
INSERT INTO public.platform VALUES
	(true, '\x7e590162d4dc90c0b60aca8a841ff5640c6438b0b01764e8577fa8ba47feed96');
INSERT INTO public.policies VALUES
	(1, 1, 'П', '', 1, 0, false, '2026-11-25 01:14:11.632841+00', '2026-11-25 01:14:11.632841+00', 1),
	(2, 1, 'Свой', '', 2, 1, false, '2026-11-25 01:14:11.632841+00', '2026-11-25 01:14:11.632841+00', 1);
INSERT INTO public.policy_sites VALUES
	(1, 1, 1),
	(1, 2, 1);
INSERT INTO public.policy_users VALUES
	(1, 1, 2),
	(1, 2, 2);
INSERT INTO public.proxies VALUES
	(1, NULL, DEFAULT, 'default', false, false, 'gate.test', 3128, '', NULL, '2026-11-25 01:14:11.617639+00', '2026-11-25 01:14:11.617639+00', 1),
	(2, 1, DEFAULT, 'users', false, false, 'own.test', 8080, 'ivan', '\x39fc5ba31962b5a2bc0df5b125a1128446fcfb1e0aea593be8d66bf0351f5fd94d01ee25dafaeceba7dffec961', '2026-11-25 01:14:11.617639+00', '2026-11-25 01:14:11.617639+00', 1);
INSERT INTO public.proxy_egress VALUES
	(0, 1, '192.0.2.7', '2026-11-25 01:14:11.649832+00', '2026-11-25 01:14:11.649832+00');
INSERT INTO public.proxy_learning VALUES
	(0, 1, '2026-11-25 01:14:11.651066+00', NULL, '{"code": "internal_proxy"}', NULL, NULL);
INSERT INTO public.recovery_codes VALUES
	(2, '\x07');
INSERT INTO public.second_factors VALUES
	(2, '\x06', '2026-11-25 01:14:11.671955+00', NULL, 0);
INSERT INTO public.site_checks VALUES
	(1, 1, 'done', NULL, false, NULL, '2026-11-25 01:14:11.66065+00', '2026-11-25 01:14:11.66065+00', '[{"title": {"code": "outside", "params": {"url": "https://crm.example.ru", "address": "192.0.2.9"}}, "advice": {"code": "paste_lock"}, "detail": {"code": "answered", "params": {"cdn": null, "status": 200, "certificateFault": null}}, "outcome": "failed", "vantage": "outside"}]', 'open', '{"code": "no_policy"}', '{"code": "check_again"}', NULL, NULL, false, false, NULL, NULL, NULL);
INSERT INTO public.sites VALUES
	(1, 1, 'crm.example.ru', 'crm.example.ru', 1, '2026-11-25 01:14:11.629246+00', '2026-11-25 01:14:11.629246+00', 1);
INSERT INTO public.users VALUES
	(1, 1, 'ivan@romashka.test', 'Иван', '', '$argon2id$v=19$m=47104,t=1,p=1$QkvByfdhiVwySUNnm0fGQA$P3v/MBArrUd/BEWSWXNC7s6nUE0DULnotOS90G6GaiM', '{CREATOR}', 1, '2026-11-25 01:14:11.58989+00', '2026-11-25 01:14:11.58989+00', 1, NULL),
	(2, 1, 'anna@romashka.test', 'Анна', '', '$argon2id$v=19$m=47104,t=1,p=1$QkvByfdhiVwySUNnm0fGQA$P3v/MBArrUd/BEWSWXNC7s6nUE0DULnotOS90G6GaiM', '{USER}', 1, '2026-11-25 01:14:11.58989+00', '2026-11-25 01:14:11.58989+00', 1, NULL),
	(3, NULL, 'admin@platform.test', '', '', '$argon2id$v=19$m=47104,t=1,p=1$QkvByfdhiVwySUNnm0fGQA$P3v/MBArrUd/BEWSWXNC7s6nUE0DULnotOS90G6GaiM', '{ADMIN}', 1, '2026-11-25 01:14:11.58989+00', '2026-11-25 01:14:11.58989+00', 1, NULL);
INSERT INTO public.vantages VALUES
	(1, NULL, 'v', NULL, NULL, '\x08', 0, NULL, NULL, '2026-11-25 01:14:11.681313+00');
SELECT pg_catalog.setval('public.audit_id_seq', 3, true);
SELECT pg_catalog.setval('public.claims', 1, true);
SELECT pg_catalog.setval('public.companies_id_seq', 2, true);
SELECT pg_catalog.setval('public.company_invitations_id_seq', 1, false);
SELECT pg_catalog.setval('public.policies_id_seq', 2, true);
SELECT pg_catalog.setval('public.proxies_id_seq', 2, true);
SELECT pg_catalog.setval('public.sessions_id_seq', 1, false);
SELECT pg_catalog.setval('public.sites_id_seq', 1, true);
SELECT pg_catalog.setval('public.users_id_seq', 3, true);
SELECT pg_catalog.setval('public.vantages_id_seq', 1, true);
ALTER TABLE ONLY public.audit
    ADD CONSTRAINT audit_pkey PRIMARY KEY (at, id);
ALTER TABLE ONLY public.audit_2026_11
    ADD CONSTRAINT audit_2026_11_pkey PRIMARY KEY (at, id);
ALTER TABLE ONLY public.audit_2026_12
    ADD CONSTRAINT audit_2026_12_pkey PRIMARY KEY (at, id);
ALTER TABLE ONLY public.audit_2027_01
    ADD CONSTRAINT audit_2027_01_pkey PRIMARY KEY (at, id);
ALTER TABLE ONLY public.audit_2027_02
    ADD CONSTRAINT audit_2027_02_pkey PRIMARY KEY (at, id);
ALTER TABLE ONLY public.audit_rest
    ADD CONSTRAINT audit_rest_pkey PRIMARY KEY (at, id);
ALTER TABLE ONLY public.companies
    ADD CONSTRAINT companies_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.company_invitations
    ADD CONSTRAINT company_invitations_email_key UNIQUE (email);
ALTER TABLE ONLY public.company_invitations
    ADD CONSTRAINT company_invitations_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.company_invitations
    ADD CONSTRAINT company_invitations_token_hash_key UNIQUE (token_hash);
ALTER TABLE ONLY public.gateway_acknowledgements
    ADD CONSTRAINT gateway_acknowledgements_pkey PRIMARY KEY (gateway, company_id);
ALTER TABLE ONLY public.idempotency_keys
    ADD CONSTRAINT idempotency_keys_pkey PRIMARY KEY (user_id, key);
ALTER TABLE ONLY public.kysely_migration_lock
    ADD CONSTRAINT kysely_migration_lock_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.kysely_migration
    ADD CONSTRAINT kysely_migration_pkey PRIMARY KEY (name);
ALTER TABLE ONLY public.lock_links
    ADD CONSTRAINT lock_links_pkey PRIMARY KEY (token_hash);
ALTER TABLE ONLY public.mail_links
    ADD CONSTRAINT mail_links_pkey PRIMARY KEY (token_hash);
ALTER TABLE ONLY public.pairing_codes
    ADD CONSTRAINT pairing_codes_pkey PRIMARY KEY (token_hash);
ALTER TABLE ONLY public.platform
    ADD CONSTRAINT platform_pkey PRIMARY KEY (only_row);
ALTER TABLE ONLY public.policies
    ADD CONSTRAINT policies_company_id_id_key UNIQUE (company_id, id);
ALTER TABLE ONLY public.policies
    ADD CONSTRAINT policies_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.policy_sites
    ADD CONSTRAINT policy_sites_pkey PRIMARY KEY (company_id, policy_id, site_id);
ALTER TABLE ONLY public.policy_users
    ADD CONSTRAINT policy_users_pkey PRIMARY KEY (company_id, policy_id, user_id);
ALTER TABLE ONLY public.proxies
    ADD CONSTRAINT proxies_owner_id_id_key UNIQUE (owner_id, id);
ALTER TABLE ONLY public.proxies
    ADD CONSTRAINT proxies_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.proxy_egress
    ADD CONSTRAINT proxy_egress_pkey PRIMARY KEY (owner_id, proxy_id, address);
ALTER TABLE ONLY public.proxy_learning
    ADD CONSTRAINT proxy_learning_pkey PRIMARY KEY (owner_id, proxy_id);
ALTER TABLE ONLY public.rate_limits
    ADD CONSTRAINT rate_limits_pkey PRIMARY KEY (key);
ALTER TABLE ONLY public.recovery_codes
    ADD CONSTRAINT recovery_codes_pkey PRIMARY KEY (user_id, code_hash);
ALTER TABLE ONLY public.second_factors
    ADD CONSTRAINT second_factors_pkey PRIMARY KEY (user_id);
ALTER TABLE ONLY public.sessions
    ADD CONSTRAINT sessions_id_key UNIQUE (id);
ALTER TABLE ONLY public.sessions
    ADD CONSTRAINT sessions_pkey PRIMARY KEY (token_hash);
ALTER TABLE ONLY public.site_checks
    ADD CONSTRAINT site_checks_pkey PRIMARY KEY (company_id, site_id);
ALTER TABLE ONLY public.sites
    ADD CONSTRAINT sites_address_key UNIQUE (company_id, address);
ALTER TABLE ONLY public.sites
    ADD CONSTRAINT sites_company_id_id_key UNIQUE (company_id, id);
ALTER TABLE ONLY public.sites
    ADD CONSTRAINT sites_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.users
    ADD CONSTRAINT users_company_id_id_key UNIQUE (company_id, id);
ALTER TABLE ONLY public.users
    ADD CONSTRAINT users_email_key UNIQUE (email);
ALTER TABLE ONLY public.users
    ADD CONSTRAINT users_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.vantage_tasks
    ADD CONSTRAINT vantage_tasks_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.vantages
    ADD CONSTRAINT vantages_code_hash_key UNIQUE (code_hash);
ALTER TABLE ONLY public.vantages
    ADD CONSTRAINT vantages_pkey PRIMARY KEY (id);
CREATE INDEX audit_of_company ON ONLY public.audit USING btree (company_id, at, id);
CREATE INDEX audit_2026_11_company_id_at_id_idx ON public.audit_2026_11 USING btree (company_id, at, id);
CREATE INDEX audit_company_trgm ON ONLY public.audit USING gin (company public.gin_trgm_ops);
CREATE INDEX audit_2026_11_company_idx ON public.audit_2026_11 USING gin (company public.gin_trgm_ops);
CREATE INDEX audit_words_trgm ON ONLY public.audit USING gin (words public.gin_trgm_ops);
CREATE INDEX audit_2026_11_words_idx ON public.audit_2026_11 USING gin (words public.gin_trgm_ops);
CREATE INDEX audit_2026_12_company_id_at_id_idx ON public.audit_2026_12 USING btree (company_id, at, id);
CREATE INDEX audit_2026_12_company_idx ON public.audit_2026_12 USING gin (company public.gin_trgm_ops);
CREATE INDEX audit_2026_12_words_idx ON public.audit_2026_12 USING gin (words public.gin_trgm_ops);
CREATE INDEX audit_2027_01_company_id_at_id_idx ON public.audit_2027_01 USING btree (company_id, at, id);
CREATE INDEX audit_2027_01_company_idx ON public.audit_2027_01 USING gin (company public.gin_trgm_ops);
CREATE INDEX audit_2027_01_words_idx ON public.audit_2027_01 USING gin (words public.gin_trgm_ops);
CREATE INDEX audit_2027_02_company_id_at_id_idx ON public.audit_2027_02 USING btree (company_id, at, id);
CREATE INDEX audit_2027_02_company_idx ON public.audit_2027_02 USING gin (company public.gin_trgm_ops);
CREATE INDEX audit_2027_02_words_idx ON public.audit_2027_02 USING gin (words public.gin_trgm_ops);
CREATE INDEX audit_rest_company_id_at_id_idx ON public.audit_rest USING btree (company_id, at, id);
CREATE INDEX audit_rest_company_idx ON public.audit_rest USING gin (company public.gin_trgm_ops);
CREATE INDEX audit_rest_words_idx ON public.audit_rest USING gin (words public.gin_trgm_ops);
CREATE INDEX companies_name_trgm ON public.companies USING gin (company_name public.gin_trgm_ops);
CREATE INDEX companies_site_trgm ON public.companies USING gin (company_site public.gin_trgm_ops);
CREATE INDEX company_invitations_expiry ON public.company_invitations USING btree (expires_at);
CREATE INDEX company_invitations_maker ON public.company_invitations USING btree (made_by);
CREATE INDEX gateway_acknowledgements_age ON public.gateway_acknowledgements USING btree (acknowledged_at);
CREATE INDEX idempotency_keys_age ON public.idempotency_keys USING btree (created_at);
CREATE INDEX lock_links_expiry ON public.lock_links USING btree (expires_at);
CREATE INDEX lock_links_maker ON public.lock_links USING btree (made_by);
CREATE INDEX lock_links_site ON public.lock_links USING btree (company_id, site_id);
CREATE INDEX mail_links_expiry ON public.mail_links USING btree (expires_at);
CREATE INDEX mail_links_user ON public.mail_links USING btree (user_id);
CREATE INDEX pairing_codes_expiry ON public.pairing_codes USING btree (expires_at);
CREATE INDEX pairing_codes_session ON public.pairing_codes USING btree (session_hash);
CREATE INDEX pairing_codes_user ON public.pairing_codes USING btree (user_id);
CREATE INDEX policies_description_trgm ON public.policies USING gin (description public.gin_trgm_ops);
CREATE INDEX policies_name_trgm ON public.policies USING gin (name public.gin_trgm_ops);
CREATE INDEX policies_proxy ON public.policies USING btree (proxy_owner_id, proxy_id);
CREATE INDEX policy_sites_site ON public.policy_sites USING btree (company_id, site_id);
CREATE INDEX policy_users_user ON public.policy_users USING btree (company_id, user_id);
CREATE UNIQUE INDEX proxies_direct ON public.proxies USING btree (direct) WHERE direct;
CREATE INDEX proxies_host_trgm ON public.proxies USING gin (host public.gin_trgm_ops);
CREATE INDEX proxy_learning_age ON public.proxy_learning USING btree (tried_at);
CREATE INDEX rate_limits_expiry ON public.rate_limits USING btree (expire);
CREATE INDEX sessions_expiry ON public.sessions USING btree (expires_at);
CREATE INDEX sessions_user ON public.sessions USING btree (user_id);
CREATE INDEX site_checks_next ON public.site_checks USING btree (next_at) WHERE (state = 'done'::text);
CREATE INDEX site_checks_waiting ON public.site_checks USING btree (started_at) WHERE (state <> 'done'::text);
CREATE INDEX sites_address_trgm ON public.sites USING gin (address public.gin_trgm_ops);
CREATE INDEX sites_claimed_host ON public.sites USING btree (split_part(address, ':'::text, 1)) WHERE (claim IS NOT NULL);
CREATE INDEX sites_shown_address_trgm ON public.sites USING gin (shown_address public.gin_trgm_ops);
CREATE INDEX users_email_trgm ON public.users USING gin (((email)::text) public.gin_trgm_ops);
CREATE INDEX users_name_trgm ON public.users USING gin (name public.gin_trgm_ops);
CREATE INDEX users_surname_trgm ON public.users USING gin (surname public.gin_trgm_ops);
CREATE INDEX vantage_tasks_age ON public.vantage_tasks USING btree (expires_at);
CREATE INDEX vantage_tasks_waiting ON public.vantage_tasks USING btree (vantage_id) WHERE (taken_at IS NULL);
CREATE INDEX vantages_company ON public.vantages USING btree (company_id);
CREATE INDEX vantages_unpaired ON public.vantages USING btree (code_expires_at) WHERE (code_expires_at IS NOT NULL);
ALTER INDEX public.audit_of_company ATTACH PARTITION public.audit_2026_11_company_id_at_id_idx;
ALTER INDEX public.audit_company_trgm ATTACH PARTITION public.audit_2026_11_company_idx;
ALTER INDEX public.audit_pkey ATTACH PARTITION public.audit_2026_11_pkey;
ALTER INDEX public.audit_words_trgm ATTACH PARTITION public.audit_2026_11_words_idx;
ALTER INDEX public.audit_of_company ATTACH PARTITION public.audit_2026_12_company_id_at_id_idx;
ALTER INDEX public.audit_company_trgm ATTACH PARTITION public.audit_2026_12_company_idx;
ALTER INDEX public.audit_pkey ATTACH PARTITION public.audit_2026_12_pkey;
ALTER INDEX public.audit_words_trgm ATTACH PARTITION public.audit_2026_12_words_idx;
ALTER INDEX public.audit_of_company ATTACH PARTITION public.audit_2027_01_company_id_at_id_idx;
ALTER INDEX public.audit_company_trgm ATTACH PARTITION public.audit_2027_01_company_idx;
ALTER INDEX public.audit_pkey ATTACH PARTITION public.audit_2027_01_pkey;
ALTER INDEX public.audit_words_trgm ATTACH PARTITION public.audit_2027_01_words_idx;
ALTER INDEX public.audit_of_company ATTACH PARTITION public.audit_2027_02_company_id_at_id_idx;
ALTER INDEX public.audit_company_trgm ATTACH PARTITION public.audit_2027_02_company_idx;
ALTER INDEX public.audit_pkey ATTACH PARTITION public.audit_2027_02_pkey;
ALTER INDEX public.audit_words_trgm ATTACH PARTITION public.audit_2027_02_words_idx;
ALTER INDEX public.audit_of_company ATTACH PARTITION public.audit_rest_company_id_at_id_idx;
ALTER INDEX public.audit_company_trgm ATTACH PARTITION public.audit_rest_company_idx;
ALTER INDEX public.audit_pkey ATTACH PARTITION public.audit_rest_pkey;
ALTER INDEX public.audit_words_trgm ATTACH PARTITION public.audit_rest_words_idx;
CREATE TRIGGER append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON public.audit FOR EACH STATEMENT EXECUTE FUNCTION public.refuse_rewriting();
ALTER TABLE public.audit ENABLE ALWAYS TRIGGER append_only;
CREATE TRIGGER append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON public.audit_2026_11 FOR EACH STATEMENT EXECUTE FUNCTION public.refuse_rewriting();
ALTER TABLE public.audit_2026_11 ENABLE ALWAYS TRIGGER append_only;
CREATE TRIGGER append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON public.audit_2026_12 FOR EACH STATEMENT EXECUTE FUNCTION public.refuse_rewriting();
ALTER TABLE public.audit_2026_12 ENABLE ALWAYS TRIGGER append_only;
CREATE TRIGGER append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON public.audit_2027_01 FOR EACH STATEMENT EXECUTE FUNCTION public.refuse_rewriting();
ALTER TABLE public.audit_2027_01 ENABLE ALWAYS TRIGGER append_only;
CREATE TRIGGER append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON public.audit_2027_02 FOR EACH STATEMENT EXECUTE FUNCTION public.refuse_rewriting();
ALTER TABLE public.audit_2027_02 ENABLE ALWAYS TRIGGER append_only;
CREATE TRIGGER append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON public.audit_removals FOR EACH STATEMENT EXECUTE FUNCTION public.refuse_rewriting();
ALTER TABLE public.audit_removals ENABLE ALWAYS TRIGGER append_only;
CREATE TRIGGER append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON public.audit_rest FOR EACH STATEMENT EXECUTE FUNCTION public.refuse_rewriting();
ALTER TABLE public.audit_rest ENABLE ALWAYS TRIGGER append_only;
CREATE TRIGGER bump_confirmed AFTER UPDATE ON public.companies FOR EACH ROW WHEN ((old.confirmed <> new.confirmed)) EXECUTE FUNCTION public.bump_requirement();
CREATE TRIGGER bump_delete AFTER DELETE ON public.policies REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION public.bump_deleted();
CREATE TRIGGER bump_delete AFTER DELETE ON public.policy_sites REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION public.bump_deleted();
CREATE TRIGGER bump_delete AFTER DELETE ON public.policy_users REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION public.bump_deleted();
CREATE TRIGGER bump_delete AFTER DELETE ON public.second_factors FOR EACH ROW WHEN ((old.confirmed_at IS NOT NULL)) EXECUTE FUNCTION public.bump_second_factors();
CREATE TRIGGER bump_delete AFTER DELETE ON public.sites REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION public.bump_deleted();
CREATE TRIGGER bump_delete AFTER DELETE ON public.users REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION public.bump_deleted();
CREATE TRIGGER bump_insert AFTER INSERT ON public.policies REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION public.bump_inserted();
CREATE TRIGGER bump_insert AFTER INSERT ON public.policy_sites REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION public.bump_inserted();
CREATE TRIGGER bump_insert AFTER INSERT ON public.policy_users REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION public.bump_inserted();
CREATE TRIGGER bump_insert AFTER INSERT ON public.second_factors FOR EACH ROW WHEN ((new.confirmed_at IS NOT NULL)) EXECUTE FUNCTION public.bump_second_factors();
CREATE TRIGGER bump_insert AFTER INSERT ON public.sites REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION public.bump_inserted();
CREATE TRIGGER bump_insert AFTER INSERT ON public.users REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION public.bump_inserted();
CREATE TRIGGER bump_requirement AFTER UPDATE ON public.companies FOR EACH ROW WHEN ((old.second_factor_required <> new.second_factor_required)) EXECUTE FUNCTION public.bump_requirement();
CREATE TRIGGER bump_update AFTER UPDATE ON public.policies REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION public.bump_updated_policies();
CREATE TRIGGER bump_update AFTER UPDATE ON public.policy_sites REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION public.bump_updated_links();
CREATE TRIGGER bump_update AFTER UPDATE ON public.policy_users REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION public.bump_updated_links();
CREATE TRIGGER bump_update AFTER UPDATE ON public.proxies REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION public.bump_updated_proxies();
CREATE TRIGGER bump_update AFTER UPDATE ON public.second_factors FOR EACH ROW WHEN (((old.confirmed_at IS NULL) <> (new.confirmed_at IS NULL))) EXECUTE FUNCTION public.bump_second_factors();
CREATE TRIGGER bump_update AFTER UPDATE ON public.sites REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION public.bump_updated_sites();
CREATE TRIGGER bump_update AFTER UPDATE ON public.users REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION public.bump_updated_users();
CREATE TRIGGER forget_check AFTER UPDATE ON public.sites FOR EACH ROW WHEN ((old.address IS DISTINCT FROM new.address)) EXECUTE FUNCTION public.forget_check();
CREATE TRIGGER move_learning AFTER UPDATE ON public.proxies FOR EACH ROW WHEN ((((old.host IS DISTINCT FROM new.host) OR (old.port IS DISTINCT FROM new.port)) OR (old.username IS DISTINCT FROM new.username))) EXECUTE FUNCTION public.move_learning();
CREATE TRIGGER notify_delete AFTER DELETE ON public.companies FOR EACH ROW EXECUTE FUNCTION public.notify_company_deleted();
ALTER TABLE ONLY public.company_invitations
    ADD CONSTRAINT company_invitations_made_by_fkey FOREIGN KEY (made_by) REFERENCES public.users(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.gateway_acknowledgements
    ADD CONSTRAINT gateway_acknowledgements_company_id_fkey FOREIGN KEY (company_id) REFERENCES public.companies(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.idempotency_keys
    ADD CONSTRAINT idempotency_keys_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.lock_links
    ADD CONSTRAINT lock_links_company_id_site_id_fkey FOREIGN KEY (company_id, site_id) REFERENCES public.sites(company_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY public.lock_links
    ADD CONSTRAINT lock_links_made_by_fkey FOREIGN KEY (made_by) REFERENCES public.users(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.mail_links
    ADD CONSTRAINT mail_links_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.pairing_codes
    ADD CONSTRAINT pairing_codes_session_hash_fkey FOREIGN KEY (session_hash) REFERENCES public.sessions(token_hash) ON DELETE CASCADE;
ALTER TABLE ONLY public.pairing_codes
    ADD CONSTRAINT pairing_codes_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.policies
    ADD CONSTRAINT policies_company_id_fkey FOREIGN KEY (company_id) REFERENCES public.companies(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.policies
    ADD CONSTRAINT policies_proxy_fkey FOREIGN KEY (proxy_owner_id, proxy_id) REFERENCES public.proxies(owner_id, id);
ALTER TABLE ONLY public.policy_sites
    ADD CONSTRAINT policy_sites_company_id_policy_id_fkey FOREIGN KEY (company_id, policy_id) REFERENCES public.policies(company_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY public.policy_sites
    ADD CONSTRAINT policy_sites_company_id_site_id_fkey FOREIGN KEY (company_id, site_id) REFERENCES public.sites(company_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY public.policy_users
    ADD CONSTRAINT policy_users_company_id_policy_id_fkey FOREIGN KEY (company_id, policy_id) REFERENCES public.policies(company_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY public.policy_users
    ADD CONSTRAINT policy_users_company_id_user_id_fkey FOREIGN KEY (company_id, user_id) REFERENCES public.users(company_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY public.proxies
    ADD CONSTRAINT proxies_company_id_fkey FOREIGN KEY (company_id) REFERENCES public.companies(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.proxy_egress
    ADD CONSTRAINT proxy_egress_owner_id_proxy_id_fkey FOREIGN KEY (owner_id, proxy_id) REFERENCES public.proxies(owner_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY public.proxy_learning
    ADD CONSTRAINT proxy_learning_owner_id_proxy_id_fkey FOREIGN KEY (owner_id, proxy_id) REFERENCES public.proxies(owner_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY public.recovery_codes
    ADD CONSTRAINT recovery_codes_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.second_factors(user_id) ON DELETE CASCADE;
ALTER TABLE ONLY public.second_factors
    ADD CONSTRAINT second_factors_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.sessions
    ADD CONSTRAINT sessions_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.site_checks
    ADD CONSTRAINT site_checks_company_id_site_id_fkey FOREIGN KEY (company_id, site_id) REFERENCES public.sites(company_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY public.sites
    ADD CONSTRAINT sites_company_id_fkey FOREIGN KEY (company_id) REFERENCES public.companies(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.users
    ADD CONSTRAINT users_company_id_fkey FOREIGN KEY (company_id) REFERENCES public.companies(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.vantage_tasks
    ADD CONSTRAINT vantage_tasks_vantage_id_fkey FOREIGN KEY (vantage_id) REFERENCES public.vantages(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.vantages
    ADD CONSTRAINT vantages_company_id_fkey FOREIGN KEY (company_id) REFERENCES public.companies(id) ON DELETE CASCADE;
