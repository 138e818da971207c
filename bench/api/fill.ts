import { newToken } from '@propusk/api/core/tokens';
import pg from 'pg';

/** The first company id, so high that no other number in a recorded statement equals an id. */
export const COMPANIES = 100_001;
export const OWNERS = 200_001;
export const SITES = 5_000_001;

export interface Owner {
  readonly token: string;
  readonly company: number;
  readonly email: string;
}

export interface Platform {
  readonly companies: number;
  /** Sites in each company; every policy holds all of them. */
  readonly sites: number;
  readonly policies: number;
  /** The owners' stored password hash, for rows that sign in. */
  readonly passwordHash?: string;
}

/** Fills an empty schema with companies. Each has one signed-in owner, who is in all its policies. */
export async function fill(url: string, platform: Platform): Promise<Owner[]> {
  const { companies, sites, policies, passwordHash = '' } = platform;
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(`alter table sites alter id restart with ${SITES}`);
  // Triggers written for one company fire here for all at once, on tables without statistics; a nested loop
  // would take quadratic time.
  await client.query('set enable_nestloop = off');
  await client.query(
    `insert into companies (id, company_name, company_site)
       select ${COMPANIES} + i, 'Company ' || i, 'company' || i || '.test' from generate_series(0, ${companies - 1}) i`,
  );
  await client.query(
    `insert into users (id, company_id, email, name, surname, password_hash, roles)
       select ${OWNERS} + i, ${COMPANIES} + i, 'owner' || i || '@bench.test', 'Ирина', 'Соколова', $1, '{CREATOR}'
       from generate_series(0, ${companies - 1}) i`,
    [passwordHash],
  );
  const owners: Owner[] = [];
  for (let at = 0; at < companies; at++) {
    const { token, hash } = newToken();
    owners.push({ token, company: COMPANIES + at, email: `owner${at}@bench.test` });
    await client.query(
      `insert into sessions (token_hash, user_id, expires_at) values ($1, $2, now() + interval '1 day')`,
      [hash, OWNERS + at],
    );
  }
  await client.query(
    `insert into policies (company_id, name, description, proxy_owner_id, proxy_id)
       select c.id, 'Policy ' || n, 'Policy ' || n, x.owner_id, x.id
       from companies c, generate_series(1, ${policies}) n, proxies x where x.direct`,
  );
  await client.query(
    `insert into sites (company_id, address, shown_address)
       select c.id, a, a from companies c, generate_series(1, ${sites}) n, lateral (select 's' || n || '.c' || c.id || '.bench.test') named (a)`,
  );
  await client.query(
    `insert into policy_sites (company_id, policy_id, site_id)
       select s.company_id, p.id, s.id from sites s join policies p using (company_id)`,
  );
  await client.query(
    `insert into policy_users (company_id, policy_id, user_id)
       select p.company_id, p.id, u.id from policies p join users u using (company_id)`,
  );
  await client.query('vacuum analyze');
  await client.end();
  return owners;
}
