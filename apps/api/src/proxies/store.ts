import {
  type AdminProxyChange,
  type PaidProxyInput,
  type Proxy,
  type ProxyInput,
  type ProxyQuery,
  type ProxyType,
  proxyAddress,
} from '@propusk/contract/proxies';
import { type SqlBool, sql } from 'kysely';
import { type Actor, asMember, isAdmin } from '../core/actor.ts';
import { AppError, found } from '../core/errors.ts';
import type { Target } from '../core/versions.ts';
import { every } from '../db/list.ts';
import type { Db, Tx } from '../db/open.ts';
import { type Encryption, passwordPlace } from '../encryption.ts';
import { changeEntity, createEntities, deleteEntity } from '../entities/change.ts';
import { entity } from '../entities/entity.ts';
import { demandInPlan, makeRoom } from '../entities/plan-limits.ts';

/** An actor sees the proxies of the actor's company and of the platform. */
export const proxyEntity = entity({
  table: 'proxies',
  kind: 'proxy',
  columns: () => [
    'proxies.id',
    'proxies.version',
    'proxies.host',
    'proxies.port',
    'proxies.username',
    'proxies.direct',
    'proxies.type',
    'proxies.all_sites as allSites',
    'proxies.created_at as createdAt',
    'proxies.updated_at as updatedAt',
    sql<
      Proxy['company']
    >`(select json_build_object('companyName', c.company_name, 'companySite', c.company_site)
      from companies c where c.id = proxies.company_id)`.as('company'),
  ],
  // Only admins see the user names of platform proxies and paid proxies.
  present: ({ type, allSites, port, username, ...row }, actor): Proxy => ({
    ...row,
    port: String(port),
    username: type === 'users' || isAdmin(actor) ? username : '',
    settings: { type, allSites },
  }),
  sees: ({ companyId }, scope) =>
    scope === 'platform' ? sql<SqlBool>`true` : sql<SqlBool>`proxies.owner_id in (0, ${companyId})`,
  filter: (_, { type }: ProxyQuery) => every(type !== undefined && sql`type = ${type}`),
  search: ['proxies.host'],
  // `+ 0` prevents a scan of the primary key's index, which contains the proxies of all companies.
  order: sql`proxies.id + 0`,
  name: ({ host, port }) => `${host}:${port}`,
  facts: ({ host, port, username, settings: { type, allSites } }) => ({
    ...{ host, port, username, type, allSites },
  }),
});

/**
 * Creates a proxy of the actor's company. For an ADMIN without a company, creates a platform proxy.
 * @throws AppError too_many_objects, plan_limit; no_company for any other actor without a company
 */
export async function createProxy(
  tx: Tx,
  actor: Actor,
  body: ProxyInput,
  encryption: Encryption,
): Promise<Proxy> {
  const companyId = isAdmin(actor) ? actor.companyId : asMember(actor).companyId;
  await makeRoom(tx, 'proxies', companyId);
  const type = companyId === null ? 'default' : 'users';
  return insertProxy(tx, actor, { ...body, companyId, type, allSites: false }, encryption);
}

/**
 * Creates a paid proxy of a company.
 * @throws AppError not_found, not_in_plan, too_many_objects
 */
export async function createPaidProxy(
  tx: Tx,
  actor: Actor,
  body: PaidProxyInput,
  encryption: Encryption,
): Promise<Proxy> {
  await makeRoom(tx, 'proxies', body.companyId, 'not_found', { paid: true });
  await demandInPlan(tx, body.companyId, 'paid_proxies');
  return insertProxy(tx, actor, { ...body, type: 'payment' }, encryption);
}

async function insertProxy(
  tx: Tx,
  actor: Actor,
  body: ProxyInput & { companyId: number | null; type: ProxyType; allSites: boolean },
  encryption: Encryption,
): Promise<Proxy> {
  const { companyId, type, allSites, host, port, username, password } = body;
  const next = sql<{ id: number }>`select nextval(pg_get_serial_sequence('proxies', 'id')) as id`;
  const { id } = found((await next.execute(tx)).rows[0]);
  const row = {
    ...{ id, company_id: companyId, type, all_sites: allSites, host, port, username },
    password_sealed: encryption.seal(passwordPlace(companyId ?? 0, { id, host, port }), password),
  };
  return found((await createEntities(tx, actor, proxyEntity, [row]))[0]);
}

/**
 * Edits a proxy. Absent fields, the password included, stay unchanged.
 * @throws AppError not_found, changed_meanwhile, default_proxy, direct_proxy, bad_input; password_needed for a new host or port
 *   without a password
 */
export function updateProxy(
  tx: Tx,
  actor: Actor,
  target: Target,
  body: AdminProxyChange,
  encryption: Encryption,
): Promise<Proxy> {
  const { id } = target;
  return changeEntity(tx, actor, proxyEntity, target, async (proxy) => {
    demandOwn(actor, proxy);
    const { password, settings } = body;
    const fields = ['host', 'port', 'username'] as const;
    const isChanged = fields.some((field) => body[field] !== undefined && body[field] !== proxy[field]);
    if (proxy.direct && (isChanged || password !== undefined)) throw new AppError('direct_proxy');
    const { host = proxy.host, port = proxy.port } = body;
    // A new host or port requires the password. Otherwise an actor could have the stored password sent to any server.
    const moved = proxyAddress(host, port) !== proxyAddress(proxy.host, proxy.port);
    if (moved && password === undefined) {
      throw new AppError('password_needed', { fields: { password: ['proxy_address_changes'] } });
    }
    const type = settings?.type ?? proxy.type;
    if ((type === 'default') !== (proxy.company_id === null)) {
      const fault = proxy.company_id === null ? 'platform_proxy_type' : 'company_proxy_type';
      throw new AppError('bad_input', { fields: { 'settings.type': [fault] } });
    }
    if (type === 'payment' && proxy.type !== 'payment') {
      await demandInPlan(tx, proxy.company_id ?? 0, 'paid_proxies');
    }
    const allSites = settings?.allSites ?? proxy.all_sites;
    const place = passwordPlace(proxy.company_id ?? 0, { id, host, port });
    return {
      set: {
        host,
        port,
        username: body.username,
        password_sealed: password === undefined ? undefined : encryption.seal(place, password),
        type,
        all_sites: allSites,
      },
      // Policies for all sites get a new version, so that the api refuses edit forms that users opened before this change.
      ...(allSites !== proxy.all_sites && { afterUpdate: () => touchPoliciesForAllSites(tx, proxy) }),
      secret: password === undefined ? undefined : 'password',
    };
  });
}

type Key = { readonly id: number; readonly owner_id: number };

/** Increments the version of policies of every company, because companies share the platform's proxies. */
async function touchPoliciesForAllSites(tx: Tx, proxy: Key): Promise<void> {
  await tx
    .updateTable('policies')
    .set((eb) => ({ version: eb('version', '+', 1) }))
    .where('proxy_owner_id', '=', proxy.owner_id)
    .where('proxy_id', '=', proxy.id)
    .where('all_sites', '=', true)
    .execute();
}

/** At most this many policies are named in the error proxy_in_use. */
const NAMED = 10;

/** @throws AppError not_found, changed_meanwhile, default_proxy, direct_proxy, or proxy_in_use with policy names */
export function deleteProxy(tx: Tx, actor: Actor, target: Target): Promise<void> {
  return deleteEntity(tx, actor, proxyEntity, target, async (proxy) => {
    demandOwn(actor, proxy);
    if (proxy.direct) throw new AppError('direct_proxy');
    await refuseInUse(tx, proxy);
    return { refusals: { policies_proxy_fkey: () => new AppError('proxy_in_use') } };
  });
}

/** The error may name policies of every company, because only an admin may delete a shared proxy. */
async function refuseInUse(tx: Tx, proxy: Key): Promise<void> {
  const policies = await tx
    .selectFrom('policies')
    .select('name')
    .where('proxy_owner_id', '=', proxy.owner_id)
    .where('proxy_id', '=', proxy.id)
    .orderBy('id')
    .execute();
  if (policies.length === 0) return;
  const names = policies.slice(0, NAMED).map(({ name }) => name);
  throw new AppError('proxy_in_use', {
    detail: ['proxy_of_policies', names, policies.length - names.length],
  });
}

/** @throws AppError for an actor who is not an ADMIN: default_proxy for a platform proxy; paid_proxy for a paid proxy */
function demandOwn(actor: Actor, { type }: { type: ProxyType }): void {
  if (type !== 'users' && !isAdmin(actor))
    throw new AppError(type === 'default' ? 'default_proxy' : 'paid_proxy');
}

/** Creates the direct proxy (the gateway itself), or updates the host and port of this proxy from the gateway's URL. */
export async function ensureDirectProxy(db: Db, gateway: URL): Promise<void> {
  const host = gateway.hostname;
  const port = Number(gateway.port) || (gateway.protocol === 'https:' ? 443 : 80);
  await db
    .insertInto('proxies')
    .values({ company_id: null, type: 'default', direct: true, host, port, password_sealed: null })
    .onConflict((oc) => oc.column('direct').where('direct', '=', true).doUpdateSet({ host, port }))
    .execute();
}

/**
 * Encrypts again the passwords that older releases stored without the proxy's host and port as additional authenticated data.
 * Runs at every start of the api, and leaves other passwords unchanged.
 */
export async function bindPasswords(db: Db, encryption: Encryption): Promise<void> {
  const stored = await db
    .selectFrom('proxies')
    .select(['id', 'owner_id', 'host', 'port', 'password_sealed'])
    .where('password_sealed', 'is not', null)
    .execute();
  for (const { owner_id, password_sealed, ...proxy } of stored) {
    const password = password_sealed && opened(encryption, `proxy/${owner_id}/${proxy.id}`, password_sealed);
    if (password === null) continue;
    await db
      .updateTable('proxies')
      .set({ password_sealed: encryption.seal(passwordPlace(owner_id, proxy), password) })
      .where('id', '=', proxy.id)
      .where('host', '=', proxy.host)
      .where('port', '=', proxy.port)
      .where('password_sealed', '=', password_sealed)
      .execute();
  }
}

function opened(encryption: Encryption, place: string, sealed: Buffer): string | null {
  try {
    return encryption.open(place, sealed);
  } catch {
    return null;
  }
}
