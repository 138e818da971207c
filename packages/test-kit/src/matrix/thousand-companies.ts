/** The number of companies that `thousandCompanies` adds. */
const COMPANIES = 1_000;

const each = (count: number, columns: string) =>
  `select ${columns} from filled c, generate_series(1, ${count} * c.size) as n`;

/** A time in each monthly partition, and in the default one. */
const month = `case n % 6 when 0 then timestamptz '2020-01-01' else now() + (n % 6 - 2) * interval '1 month' end`;

/**
 * Adds 1,000 companies with rows in every table that has a column `company_id`. The oldest existing company gets 30 times as many rows
 * as each of them. Updates the planner's statistics. The triggers of the tables do not run.
 */
export const thousandCompanies = `
  create temporary table filled as
    select n * 1000 + 1000000 as id, n * 1000 + 1000000 as base, 1 as size from generate_series(1, ${COMPANIES}) as n
    union all select min(id), 500000, 30 from companies;
  do $$ declare t text; begin
    for t in select table_name from information_schema.tables where table_schema = 'public' and table_type = 'BASE TABLE' loop
      execute format('alter table %I disable trigger user', t);
    end loop;
  end $$;
  insert into companies (id, company_name, company_site) select id, 'Company ' || id, 'company' || id || '.test' from filled
    where size = 1;
  insert into users (id, company_id, email, name, surname, password_hash, roles)
    ${each(30, `c.base + n, c.id, 'user' || n || '@' || c.id || '.test', md5((c.base + n)::text), 'Surname' || n, '', '{USER}'`)};
  insert into sessions (token_hash, user_id, expires_at)
    ${each(30, `sha256((c.base + n)::text::bytea), c.base + n, now() + interval '1 day'`)};
  insert into mail_links (token_hash, user_id, expires_at)
    ${each(5, `sha256(('mail' || c.base + n)::bytea), c.base + n, now() + interval '1 day'`)};
  insert into proxies (id, company_id, type, host, port) ${each(5, `c.base + n, c.id, 'users', 'proxy' || n || '.' || c.id || '.test', 3128`)};
  insert into sites (id, company_id, address, shown_address, claim)
    ${each(30, `c.base + n, c.id, 'site' || n || '.' || c.id || '.test', 'site' || n || '.' || c.id || '.test', case when n < 9 then n end`)};
  insert into policies (id, company_id, name, description, proxy_id, proxy_owner_id)
    ${each(10, `c.base + n, c.id, 'Policy ' || n, md5((c.base + n)::text), c.base + 1 + n % 5, c.id`)};
  insert into policy_users ${each(30, 'c.id, c.base + 1 + n % 10, c.base + n')};
  insert into timed_members (company_id, policy_id, user_id, ends_at) ${each(30, "c.id, c.base + 1 + (n + 1) % 10, c.base + n, now() + interval '1 day'")};
  insert into policy_sites ${each(30, 'c.id, c.base + 1 + n % 10, c.base + n')};
  insert into site_checks (company_id, site_id, state) ${each(30, `c.id, c.base + n, 'done'`)};
  insert into lock_links (token_hash, company_id, site_id, made_by, expires_at)
    ${each(5, `sha256(('lock' || c.base + n)::bytea), c.id, c.base + n, c.base + 1, now() + interval '1 day'`)};
  insert into vantages (id, company_id, name, key_sealed) ${each(5, `c.base + n, c.id, 'Vantage ' || n, ''`)};
  insert into tariff_requests (company_id, kind, email, text, state) ${each(5, `c.id, 'plan', '', '', 'done'`)};
  insert into plan_warnings ${each(5, `c.id, 'paid', now(), n`)};
  insert into record_cuts ${each(1, "c.id, 30, true, null, now() + interval '1 day'")} where n = 1;
  insert into last_visits ${each(30, 'c.id, c.base + n, 0, now()')};
  insert into record_people ${each(10, `c.id, c.base + 500 + n, 'Person'`)};
  insert into audit (at, company_id, actor_id, actor_name, actor_email, actor_roles, address, action, object_kind, object_id, object_name)
    ${each(60, `${month}, c.id, c.base + 1, 'Owner', 'owner@' || c.id || '.test', '{CREATOR}', '', 'changed', 'site', c.base + 1, md5(n::text)`)};
  insert into records (id, started_at, company_id, user_id, site_id, policy_id, up, down, ms, run, count, port, kind, state, reason,
      address, host)
    ${each(
      200,
      `gen_random_uuid(), ${month} - n * interval '5 minutes', c.id, c.base + 1 + n % 30, c.base + 1 + n % 30, c.base + 1, 1, 1, 1, 1, 1, 443,
      case when n % 9 = 0 then 'refusal' else 'tunnel' end, case when n < 5 then 'open' else 'closed' end, '', '203.0.113.1', 'host'`,
    )};
  insert into record_hours ${each(100, `c.id, date_trunc('hour', now()) - n * interval '1 hour', c.base + 1 + n % 30, c.base + 1 + n % 30, '', '', 1, 1, 1, 1`)};
  do $$ declare t text; begin
    for t in select table_name from information_schema.tables where table_schema = 'public' and table_type = 'BASE TABLE' loop
      execute format('alter table %I enable trigger user', t);
    end loop;
  end $$;
  analyze`;
