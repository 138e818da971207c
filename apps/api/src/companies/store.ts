import type { Company, CompanyChange, CompanyInput } from '@propusk/contract/companies';
import type { ListQuery } from '@propusk/contract/fields';
import { limits } from '@propusk/contract/limits';
import { type RawBuilder, sql } from 'kysely';
import { record } from '../audit/store.ts';
import type { Actor } from '../core/actor.ts';
import { AppError, found } from '../core/errors.ts';
import { hasFactor } from '../core/factor.ts';
import type { Target } from '../core/versions.ts';
import { lockCompany } from '../db/company.ts';
import { contains, readList } from '../db/list.ts';
import type { Db, Tx } from '../db/open.ts';
import { run, statement } from '../db/pipeline.ts';
import { inScope } from '../db/scope.ts';
import { changeEntity, createEntities, deleteEntity } from '../entities/change.ts';
import { entity, findEntity, readEntities } from '../entities/entity.ts';
import { openExtension } from '../identity/session-store.ts';
import { shownAddress } from '../sites/store.ts';

const columns = [
  'companies.id',
  'companies.company_name as companyName',
  'companies.company_site as companySite',
  'companies.second_factor_required as secondFactorRequired',
  'companies.confirmed',
  'companies.version',
  'companies.created_at as createdAt',
  'companies.updated_at as updatedAt',
] as const;

/** A company without the lists of its users, sites, proxies and policies. */
export const companyEntity = entity({
  table: 'companies',
  kind: 'company',
  columns: () => columns,
  present: (row) => row,
  sees: (actor, scope) => inScope(actor, scope, 'companies.id'),
  name: ({ companyName }) => companyName,
  facts: ({ companyName, companySite, secondFactorRequired }) => ({
    ...{ companyName, companySite, secondFactorRequired },
  }),
});

/** SQL for a company's rows of a table, as a JSON array in the order of their ids. */
function rowsOf<T>(table: RawBuilder<unknown>, item: RawBuilder<unknown>) {
  return sql<
    T[]
  >`(select coalesce(json_agg(json_build_object(${item}) order by o.id), '[]') from ${table} = companies.id)`;
}

const fullEntity = entity({
  ...companyEntity,
  columns: () => [
    ...columns,
    rowsOf<Company['domainsAllowed'][number]>(
      sql`sites o where o.company_id`,
      sql`'id', o.id, 'address', o.address`,
    ).as('domainsAllowed'),
    rowsOf<Company['proxy'][number]>(
      sql`proxies o where o.owner_id`,
      sql`'id', o.id, 'host', o.host, 'port', o.port::text`,
    ).as('proxy'),
    rowsOf<Company['users'][number]>(
      sql`users o where o.company_id`,
      sql`'id', o.id, 'name', o.name, 'surname', o.surname, 'email', o.email::text`,
    ).as('users'),
    rowsOf<Company['politics'][number]>(
      sql`policies o where o.company_id`,
      sql`'id', o.id, 'name', o.name`,
    ).as('politics'),
    sql<number>`(select count(distinct s.user_id)::int from sessions s join users u on u.id = s.user_id
      where u.company_id = companies.id and ${openExtension})`.as('extensions'),
  ],
  present: (row): Company => ({ ...row, domainsBlock: [] }),
  name: ({ companyName }) => companyName,
  facts: (company) => companyEntity.facts(company),
});

/**
 * Reads a company with its users, sites, proxies and policies.
 * @throws AppError not_found when the company does not exist or the actor may not see it
 */
export const findCompany = (db: Db, actor: Actor, id: number) => findEntity(db, actor, fullEntity, id);

/** At most this many users, sites, proxies and policies per query; more would block the event loop for over 50 ms. */
const CHILDREN_A_QUERY = 3_000;

/** Lists companies for an ADMIN; without the parameters `page` and `take`, only the first 100 (answers.md). */
export async function listCompanies(
  db: Db,
  actor: Actor,
  { confirmed, ...query }: ListQuery & { confirmed?: 'true' | 'false' | undefined },
): Promise<{ rows: Company[]; count: number }> {
  const children = (['users', 'sites', 'proxies', 'policies'] as const).map(
    (table) => sql`(select count(*) from ${sql.table(table)} where company_id = companies.id)`,
  );
  const matching = db
    .selectFrom('companies')
    .select([...columns, sql<number>`(${sql.join(children, sql` + `)})::int`.as('children')])
    .where(contains(['companies.company_name', 'companies.company_site'], query.name, true))
    .$if(confirmed !== undefined, (qb) => qb.where('companies.confirmed', '=', confirmed === 'true'));
  const page = query.page === undefined && query.take === undefined ? { take: limits.page.maxTake } : {};
  const { rows: listed, count } = await readList(matching, { ...query, ...page }, sql.ref('companies.id'));
  // An exported list has only these columns.
  if ((query.take ?? 0) > limits.page.maxTake) return { rows: listed as unknown as Company[], count };
  const rows: Company[] = [];
  // Each query reads companies with at most CHILDREN_A_QUERY child rows in total. A company with more rows is read alone.
  for (let from = 0, to = 0; from < listed.length; from = to) {
    let left = CHILDREN_A_QUERY;
    do left -= listed[to++]?.children ?? 0;
    while (to < listed.length && left >= (listed[to]?.children ?? 0));
    const ids = listed.slice(from, to).map(({ id }) => id);
    const group = await run(db, readEntities(db, actor, fullEntity, ids));
    rows.push(...(query.order === 'DESC' ? group.toReversed() : group));
  }
  return { rows, count };
}

export async function createCompany(tx: Tx, actor: Actor, body: CompanyInput): Promise<Company> {
  const name = body.companyName === '' ? body.companySite : body.companyName;
  const row = { company_name: name, company_site: body.companySite };
  return found((await createEntities(tx, actor, fullEntity, [row]))[0]);
}

/** @throws AppError not_found; changed_meanwhile; own_factor_first if an actor without a second factor requires second factors */
export async function updateCompany(
  tx: Tx,
  actor: Actor,
  target: Target,
  body: CompanyChange,
): Promise<Company> {
  await changeEntity(tx, actor, companyEntity, target, async () => {
    const { companyName: company_name, companySite: company_site, secondFactorRequired } = body;
    if (secondFactorRequired === true) await demandOwnFactor(tx, actor);
    return { set: { company_name, company_site, second_factor_required: secondFactorRequired } };
  });
  return findCompany(tx, actor, target.id);
}

/** Confirms a company on behalf of its owner. @throws AppError not_found, already_confirmed */
export async function confirmCompany(tx: Tx, actor: Actor, id: number): Promise<void> {
  await lockCompany(tx, id);
  const { company_name: name } = await tx
    .updateTable('companies')
    .set({ confirmed: true })
    .where('id', '=', id)
    .where('confirmed', '=', false)
    .returning('company_name')
    .executeTakeFirstOrThrow(() => new AppError('already_confirmed'));
  await record(tx, actor, { action: 'company_confirmed', kind: 'company', id, name, companyId: id });
}

/**
 * Deletes a company and all its rows.
 * @throws AppError not_found; changed_meanwhile; company_of_admin while a platform admin belongs to it
 */
export function deleteCompany(tx: Tx, actor: Actor, target: Target): Promise<void> {
  const { id } = target;
  return deleteEntity(tx, actor, companyEntity, target, async () => {
    const admin = await tx
      .selectFrom('users')
      .select('id')
      .where('company_id', '=', id)
      .where('roles', '@>', sql<never>`array['ADMIN']`)
      .executeTakeFirst();
    if (admin !== undefined) throw new AppError('company_of_admin');
    // The deleted users, sites, proxies and policies get no audit events of their own: the event of the company lists them.
    const { users, domainsAllowed, proxy, politics } = await findCompany(tx, actor, id);
    return {
      facts: {
        users: users.map((user) => ({ id: user.id, name: user.email })),
        sites: domainsAllowed.map((site) => ({ id: site.id, name: shownAddress(site.address) })),
        proxies: proxy.map(({ id: proxyId, host, port }) => ({ id: proxyId, name: `${host}:${port}` })),
        politics,
      },
      // Link rows are deleted before policies, because a cascade would fire the triggers for each policy. Policies are deleted
      // before proxies, because policies refer to proxies. The timeout allows for a million link rows.
      first: [
        sql`set local statement_timeout = '60s'`,
        ...['policy_users', 'timed_members', 'policy_sites', 'policies'].map(
          (table) => sql`delete from ${sql.table(table)} where company_id = ${id}`,
        ),
      ].map((write) => statement(write.compile(tx), () => undefined)),
    };
  });
}

/** Prevents actors without a second factor from locking themselves out of their own company. */
async function demandOwnFactor(tx: Tx, { userId }: Actor): Promise<void> {
  await tx
    .selectFrom('users')
    .select('id')
    .where('id', '=', userId)
    .where(hasFactor('users.id'))
    .executeTakeFirstOrThrow(() => new AppError('own_factor_first'));
}
