import type { ListQuery } from '@propusk/contract/fields';
import type { Proxy, ProxyInput } from '@propusk/contract/proxies';
import { type Expression, type ExpressionBuilder, type SqlBool, sql } from 'kysely';
import { jsonObjectFrom } from 'kysely/helpers/postgres';
import { lockCompany, makeRoom } from '../db/company.ts';
import { contains, paged } from '../db/list.ts';
import type { Db, Tx } from '../db/open.ts';
import type { Tables } from '../db/schema.ts';
import { type Actor, isAdmin, type Member } from '../http/actor.ts';
import { AppError } from '../http/errors.ts';
import { refusing } from '../http/violations.ts';
import type { Sealing } from '../sealing.ts';

type Proxies = ExpressionBuilder<Tables, 'proxies'>;

/** The company's own and paid proxies, and the platform's. */
function maySee(actor: Actor) {
  return (eb: Proxies): Expression<SqlBool> =>
    isAdmin(actor)
      ? sql<SqlBool>`true`
      : eb.or([eb('proxies.company_id', '=', actor.companyId), eb('proxies.company_id', 'is', null)]);
}

function selectProxies(db: Db) {
  return db
    .selectFrom('proxies')
    .select((eb) => [
      'proxies.id',
      'host',
      'port',
      'username',
      'direct',
      'type',
      'all_sites as allSites',
      'proxies.created_at as createdAt',
      'proxies.updated_at as updatedAt',
      jsonObjectFrom(
        eb
          .selectFrom('companies')
          .select(['company_name as companyName', 'company_site as companySite'])
          .whereRef('companies.id', '=', 'proxies.company_id'),
      ).as('company'),
    ]);
}

type Row = Awaited<ReturnType<ReturnType<typeof selectProxies>['executeTakeFirstOrThrow']>>;

/** A platform proxy's user name is the platform's own business. */
function present({ type, allSites, port, username, ...row }: Row): Proxy {
  return {
    ...row,
    port: String(port),
    username: type === 'default' ? '' : username,
    settings: { type, allSites },
  };
}

/** @throws AppError not_found */
export async function findProxy(db: Db, actor: Actor, id: number): Promise<Proxy> {
  const row = await selectProxies(db).where('proxies.id', '=', id).where(maySee(actor)).executeTakeFirst();
  if (row === undefined) throw new AppError('not_found');
  return present(row);
}

export async function listProxies(
  db: Db,
  actor: Member,
  query: ListQuery,
): Promise<{ rows: Proxy[]; count: number }> {
  const matching = (eb: Proxies) =>
    eb.and([
      eb.or([eb('proxies.company_id', '=', actor.companyId), eb('proxies.company_id', 'is', null)]),
      contains([eb.ref('proxies.host')], query.name),
    ]);
  const rows = await paged(selectProxies(db).where(matching), query, sql.ref('proxies.id')).execute();
  const { count } = await db
    .selectFrom('proxies')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where(matching)
    .executeTakeFirstOrThrow();
  return { rows: rows.map(present), count };
}

/** Where a proxy's password is sealed for: it opens in no other row and for no other owner. */
export function passwordPlace(ownerId: number, proxyId: number): string {
  return `proxy/${ownerId}/${proxyId}`;
}

/** @throws AppError too_many_objects */
export async function createProxy(tx: Tx, actor: Member, body: ProxyInput, sealing: Sealing): Promise<Proxy> {
  await lockCompany(tx, actor.companyId);
  await makeRoom(tx, 'proxies', actor.companyId);
  const { rows } = await sql<{
    id: number;
  }>`select nextval(pg_get_serial_sequence('proxies', 'id')) as id`.execute(tx);
  const id = rows[0]?.id;
  if (id === undefined) throw new Error('a sequence answered no row');
  await tx
    .insertInto('proxies')
    .values({
      id,
      company_id: actor.companyId,
      type: 'users',
      host: body.host,
      port: body.port,
      username: body.username,
      password_sealed: sealing.seal(passwordPlace(actor.companyId, id), body.password),
    })
    .execute();
  return findProxy(tx, actor, id);
}

/** @throws AppError not_found, default_proxy, or proxy_in_use naming the policies */
export async function deleteProxy(tx: Tx, actor: Actor, id: number): Promise<void> {
  const proxy = await tx
    .selectFrom('proxies')
    .select(['company_id', 'direct'])
    .where('id', '=', id)
    .where(maySee(actor))
    .executeTakeFirst();
  if (proxy === undefined) throw new AppError('not_found');
  if (proxy.direct || (proxy.company_id === null && !isAdmin(actor))) throw new AppError('default_proxy');
  if (proxy.company_id !== null) await lockCompany(tx, proxy.company_id);
  const users = await tx.selectFrom('policies').select('name').where('proxy_id', '=', id).limit(5).execute();
  const inUse = () =>
    new AppError('proxy_in_use', {
      message: `Прокси используется в политиках доступа: ${users.map(({ name }) => `«${name}»`).join(', ')}. Сначала выберите в них другой прокси`,
    });
  if (users.length > 0) throw inUse();
  await refusing(
    { policies_proxy_fkey: () => new AppError('proxy_in_use') },
    tx.deleteFrom('proxies').where('id', '=', id).execute(),
  );
}

/**
 * The first default proxy: the gateway itself. It is there from the first start, and follows the gateway's address.
 */
export async function ensureDirectProxy(db: Db, gateway: URL): Promise<void> {
  const host = gateway.hostname;
  const port = Number(gateway.port) || (gateway.protocol === 'https:' ? 443 : 80);
  await db
    .insertInto('proxies')
    .values({ company_id: null, type: 'default', direct: true, host, port, password_sealed: null })
    .onConflict((oc) => oc.column('direct').where('direct', '=', true).doUpdateSet({ host, port }))
    .execute();
}
