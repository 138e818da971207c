import type { Company, CompanyChange, CompanyInput } from '@propusk/contract/companies';
import type { ListQuery } from '@propusk/contract/fields';
import { limits } from '@propusk/contract/limits';
import { keptName } from '@propusk/contract/shown-text';
import { sql } from 'kysely';
import { jsonArrayFrom } from 'kysely/helpers/postgres';
import { type AuditFields, record } from '../audit/store.ts';
import type { Actor } from '../core/actor.ts';
import { AppError } from '../core/errors.ts';
import { expectVersion, type IfMatch } from '../core/versions.ts';
import { lockCompany } from '../db/company.ts';
import { hasFactor } from '../db/factor.ts';
import { contains, readList } from '../db/list.ts';
import type { Db, Tx } from '../db/open.ts';
import { managedBy } from '../db/scope.ts';
import { shownAddress } from '../sites/store.ts';

function selectCompanies(db: Db) {
  return db.selectFrom('companies').select((eb) => [
    'companies.id',
    'company_name as companyName',
    'company_site as companySite',
    'second_factor_required as secondFactorRequired',
    'companies.confirmed',
    'companies.version',
    'companies.created_at as createdAt',
    'companies.updated_at as updatedAt',
    jsonArrayFrom(
      eb
        .selectFrom('sites')
        .select(['sites.id', 'sites.address'])
        .whereRef('sites.company_id', '=', 'companies.id')
        .orderBy('sites.id'),
    ).as('domainsAllowed'),
    jsonArrayFrom(
      eb
        .selectFrom('proxies')
        .select(['proxies.id', 'proxies.host', sql<string>`proxies.port::text`.as('port')])
        .whereRef('proxies.owner_id', '=', 'companies.id')
        .orderBy('proxies.id'),
    ).as('proxy'),
    jsonArrayFrom(
      eb
        .selectFrom('users')
        .select(['users.id', 'users.name', 'users.surname', sql<string>`users.email::text`.as('email')])
        .whereRef('users.company_id', '=', 'companies.id')
        .orderBy('users.id'),
    ).as('users'),
    jsonArrayFrom(
      eb
        .selectFrom('policies')
        .select(['policies.id', 'policies.name'])
        .whereRef('policies.company_id', '=', 'companies.id')
        .orderBy('policies.id'),
    ).as('politics'),
  ]);
}

type Row = Awaited<ReturnType<ReturnType<typeof selectCompanies>['executeTakeFirstOrThrow']>>;
const present = (row: Row): Company => ({ ...row, domainsBlock: [] });

/** @throws AppError not_found, also for a company that the actor may not see */
export async function findCompany(db: Db, actor: Actor, id: number): Promise<Company> {
  const row = await selectCompanies(db)
    .where('companies.id', '=', id)
    .where(managedBy(actor, 'companies.id'))
    .executeTakeFirstOrThrow(() => new AppError('not_found'));
  return present(row);
}

/** Users, sites, proxies and policies that one query reads: more would hold the event loop for over 50 ms. */
const CHILDREN_A_QUERY = 3_000;

/** Lists every company, for admins: without a page the first 100 (answers.md). */
export async function listCompanies(
  db: Db,
  { confirmed, ...query }: ListQuery & { confirmed?: 'true' | 'false' | undefined },
): Promise<{ rows: Company[]; count: number }> {
  const children = (['users', 'sites', 'proxies', 'policies'] as const).map(
    (table) => sql`(select count(*) from ${sql.table(table)} where company_id = companies.id)`,
  );
  const matching = db
    .selectFrom('companies')
    .select(['companies.id', sql<number>`(${sql.join(children, sql` + `)})::int`.as('children')])
    .where(contains(['companies.company_name', 'companies.company_site'], query.name, true))
    .$if(confirmed !== undefined, (qb) => qb.where('companies.confirmed', '=', confirmed === 'true'));
  const page = query.page === undefined && query.take === undefined ? { take: limits.page.maxTake } : {};
  const { rows: found, count } = await readList(matching, { ...query, ...page }, sql.ref('companies.id'));
  const rows: Company[] = [];
  // Groups companies of up to 3,000 children a query; a single company may exceed it.
  for (let from = 0, to = 0; from < found.length; from = to) {
    let left = CHILDREN_A_QUERY;
    do left -= found[to++]?.children ?? 0;
    while (to < found.length && left >= (found[to]?.children ?? 0));
    const ids = found.slice(from, to).map(({ id }) => id);
    const group = await selectCompanies(db)
      .where('companies.id', 'in', ids)
      .orderBy('companies.id', query.order === 'DESC' ? 'desc' : 'asc')
      .execute();
    rows.push(...group.map(present));
  }
  return { rows, count };
}

export async function createCompany(tx: Tx, actor: Actor, body: CompanyInput): Promise<Company> {
  const name = body.companyName === '' ? body.companySite : body.companyName;
  const { id } = await tx
    .insertInto('companies')
    .values({ company_name: name, company_site: body.companySite })
    .returning('id')
    .executeTakeFirstOrThrow();
  const company = await findCompany(tx, actor, id);
  await record(tx, actor, { ...auditTarget(company), action: 'created', after: auditFields(company) });
  return company;
}

/** @throws AppError not_found; changed_meanwhile; own_factor_first when the actor requires a second factor but has none */
export async function updateCompany(
  tx: Tx,
  actor: Actor,
  id: number,
  body: CompanyChange,
  ifMatch: IfMatch,
): Promise<Company> {
  const before = await lockOwn(tx, actor, id, ifMatch);
  if (body.secondFactorRequired === true) await demandOwnFactor(tx, actor);
  await tx
    .updateTable('companies')
    .set((eb) => ({
      ...(body.companyName !== undefined && { company_name: keptName(body.companyName, before.companyName) }),
      ...(body.companySite !== undefined && { company_site: keptName(body.companySite, before.companySite) }),
      ...(body.secondFactorRequired !== undefined && { second_factor_required: body.secondFactorRequired }),
      version: eb('version', '+', 1),
      updated_at: eb.fn<string>('now'),
    }))
    .where('id', '=', id)
    .execute();
  const company = await findCompany(tx, actor, id);
  const event = { ...auditTarget(company), action: 'changed' } as const;
  await record(tx, actor, { ...event, before: auditFields(before), after: auditFields(company) });
  return company;
}

/** Confirms a company in place of its owner. @throws AppError not_found, already_confirmed */
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
export async function deleteCompany(tx: Tx, actor: Actor, id: number, ifMatch: IfMatch): Promise<void> {
  await lockOwn(tx, actor, id, ifMatch);
  const admin = await tx
    .selectFrom('users')
    .select('id')
    .where('company_id', '=', id)
    .where('roles', '@>', sql<never>`array['ADMIN']`)
    .executeTakeFirst();
  if (admin !== undefined) throw new AppError('company_of_admin');
  await recordDeletion(tx, actor, id);
  // Deleting a million links exceeds the usual statement timeout.
  await sql`set local statement_timeout = '60s'`.execute(tx);
  // Deletes whole tables, links first: a cascade would fire the triggers for each policy. Policies refer to proxies, so they
  // go before the company's proxies.
  for (const table of ['policy_users', 'policy_sites', 'policies'] as const) {
    await tx.deleteFrom(table).where('company_id', '=', id).execute();
  }
  await tx.deleteFrom('companies').where('id', '=', id).execute();
}

/** Records the deletion with the company's users, sites, proxies and policies, which get no audit events of their own. */
async function recordDeletion(tx: Tx, actor: Actor, id: number): Promise<void> {
  const gone = await findCompany(tx, actor, id);
  const before = {
    ...auditFields(gone),
    users: gone.users.map((user) => ({ id: user.id, name: user.email })),
    sites: gone.domainsAllowed.map((site) => ({ id: site.id, name: shownAddress(site.address) })),
    proxies: gone.proxy.map((proxy) => ({ id: proxy.id, name: `${proxy.host}:${proxy.port}` })),
    politics: gone.politics,
  };
  await record(tx, actor, { ...auditTarget(gone), action: 'deleted', before });
}

function auditTarget({ id, companyName }: Company) {
  return { kind: 'company', id, name: companyName, companyId: id } as const;
}

const auditFields = ({
  companyName,
  companySite,
  secondFactorRequired,
}: Pick<Company, 'companyName' | 'companySite' | 'secondFactorRequired'>): AuditFields => ({
  companyName,
  companySite,
  secondFactorRequired,
});

/** Without this check, actors who require a second factor of their own company would lock themselves out. */
async function demandOwnFactor(tx: Tx, { userId }: Actor): Promise<void> {
  await tx
    .selectFrom('users')
    .select('id')
    .where('id', '=', userId)
    .where(hasFactor('users.id'))
    .executeTakeFirstOrThrow(() => new AppError('own_factor_first'));
}

async function lockOwn(tx: Tx, actor: Actor, id: number, ifMatch: IfMatch) {
  const find = () =>
    tx
      .selectFrom('companies')
      .select([
        'version',
        'company_name as companyName',
        'company_site as companySite',
        'second_factor_required as secondFactorRequired',
      ])
      .where('id', '=', id)
      .where(managedBy(actor, 'companies.id'))
      .executeTakeFirstOrThrow(() => new AppError('not_found'));
  await find();
  await lockCompany(tx, id);
  const company = await find();
  expectVersion(ifMatch, company.version);
  return company;
}
