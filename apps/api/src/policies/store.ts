import type { MemberChange } from '@propusk/contract/bulk';
import type { Policy, PolicyChange, PolicyInput } from '@propusk/contract/policies';
import { type Expression, type Selectable, type SqlBool, sql } from 'kysely';
import { type Actor, type Member, scopeOf, scopeOfWrite } from '../core/actor.ts';
import { AppError, found, refuseFaults } from '../core/errors.ts';
import type { Target } from '../core/versions.ts';
import { linkedItems, links, ownPolicies } from '../db/links.ts';
import type { Tx } from '../db/open.ts';
import { run, type Statement, statement } from '../db/pipeline.ts';
import type { Tables } from '../db/schema.ts';
import { inScope } from '../db/scope.ts';
import { changeEntity, createEntities } from '../entities/change.ts';
import { entity } from '../entities/entity.ts';
import { demandInPlan, makeRoom } from '../entities/plan-limits.ts';

type Egress = Pick<Selectable<Tables['proxies']>, 'id' | 'owner_id' | 'all_sites'>;

/** An owner sees the company's policies. A USER sees only policies that apply to that user, without the policies' other users. */
export const policyEntity = entity({
  table: 'policies',
  kind: 'policy',
  columns: () => [
    'policies.id',
    'policies.name',
    'policies.description',
    'policies.all_sites as allSites',
    'policies.version',
    'policies.created_at as createdAt',
    'policies.updated_at as updatedAt',
    sql<Policy['proxy']>`(
      select coalesce(json_agg(json_build_object('id', x.id, 'host', x.host, 'direct', x.direct,
        'settings', json_build_object('type', x.type, 'allSites', x.all_sites))), '[]')
      from proxies x where x.owner_id = policies.proxy_owner_id and x.id = policies.proxy_id)`.as('proxy'),
    linkedItems(
      links.policyUsers,
      sql`coalesce(nullif(trim(o.name || ' ' || o.surname), ''), o.email::text)`,
    ),
    linkedItems(links.policySites, sql`o.shown_address`),
  ],
  present: ({ users, allSites, ...row }, actor): Policy => ({
    ...row,
    // The flag for all sites has no effect while the proxy of the policy does not allow all sites.
    allSites: allSites && row.proxy.some(({ settings }) => settings.allSites),
    users: scopeOf(actor) === 'own' ? users.filter(({ id }) => id === actor.userId) : users,
  }),
  sees: (actor, scope) =>
    inScope(actor, scope, 'policies.company_id', sql`policies.id in ${ownPolicies(actor)}`),
  search: ['policies.name', 'policies.description'],
  name: ({ name }) => name,
  facts: ({ name, description, allSites, users, sites, proxy }) => ({
    ...{ name, description, allSites, users, sites },
    proxy: proxy.map(({ host }) => host).join(', '),
  }),
});

/** @throws AppError bad_input for a proxy, user or site of another company; all_sites_refused; not_in_plan; too_many_objects */
export async function createPolicy(tx: Tx, actor: Member, body: PolicyInput): Promise<Policy> {
  await makeRoom(tx, 'policies', actor.companyId);
  const proxy = await run(tx, findEgress(tx, sql.val(body.proxyId), sql.val(actor.companyId)));
  allowAllSites(body.allSites, proxy);
  if (body.allSites) await demandInPlan(tx, actor.companyId, 'all_sites');
  const row = {
    company_id: actor.companyId,
    name: body.name,
    description: body.description === '' ? body.name : body.description,
    proxy_id: proxy.id,
    proxy_owner_id: proxy.owner_id,
    all_sites: body.allSites,
  };
  return found((await createEntities(tx, actor, policyEntity, [row], { linked: body }))[0]);
}

/** @throws AppError not_found, bad_input, all_sites_refused, changed_meanwhile */
export function updatePolicy(tx: Tx, actor: Actor, target: Target, body: PolicyChange): Promise<Policy> {
  const own = sql`from policies where id = ${target.id} and ${policyEntity.sees(actor, scopeOfWrite(actor))}`;
  const proxyId = sql<number>`coalesce(${body.proxyId ?? null}::bigint, (select proxy_id ${own}))`;
  const egress = findEgress(tx, proxyId, sql<number>`(select company_id ${own})`);
  const plan = async (policy: Selectable<Tables['policies']>, proxy: Egress) => {
    allowAllSites(body.allSites === true, proxy);
    // Setting the all-sites flag requires a plan with this feature. A later change of the plan does not clear the flag.
    if (body.allSites === true && !policy.all_sites) await demandInPlan(tx, policy.company_id, 'all_sites');
    // A switch to a proxy that does not allow all sites clears the all-sites flag. An edit that keeps the proxy keeps the flag.
    const kept = policy.all_sites && (proxy.all_sites || proxy.id === policy.proxy_id);
    return {
      set: {
        name: body.name,
        description: body.description === '' ? (body.name ?? policy.name) : body.description,
        proxy_id: proxy.id,
        proxy_owner_id: proxy.owner_id,
        all_sites: body.allSites ?? kept,
      },
      links: body,
    };
  };
  return changeEntity(tx, actor, policyEntity, target, plan, egress);
}

/**
 * Adds users and sites to a policy, and removes others. Writes one audit event for the policy, and one for each changed user and
 * site. The number of round trips does not depend on the number of members.
 * @param actor the actor without the role ADMIN (`asOwner`)
 * @throws AppError not_found; too_many_objects; bad_input that names each absent row by its index (`addSites.3`)
 */
export function changeMembers(tx: Tx, actor: Member, id: number, body: MemberChange): Promise<Policy> {
  const { companyId } = actor;
  const lists = [
    { path: 'addUsers', kind: 'user', adds: true },
    { path: 'removeUsers', kind: 'user', adds: false },
    { path: 'addSites', kind: 'site', adds: true },
    { path: 'removeSites', kind: 'site', adds: false },
  ] as const;
  const idsOf = (kind: 'user' | 'site') =>
    lists.flatMap((list) => (list.kind === kind ? body[list.path] : []));
  const lookup = sql<{ key: string; name: string }>`
    select 'user ' || id as key, email::text as name from users
      where company_id = ${companyId} and id = any (${idsOf('user')})
    union all select 'site ' || id, shown_address from sites
      where company_id = ${companyId} and id = any (${idsOf('site')})`;
  const found = statement<{ key: string; name: string }, ReadonlyMap<string, string>>(
    lookup.compile(tx),
    // Bounded: the map exists for one call, and holds at most one entry for each id of the body
    (rows) => new Map(rows.map(({ key, name }) => [key, name])),
  );
  const plan = ({ name }: { name: string }, names: ReadonlyMap<string, string>, policy: Policy) => {
    const given = lists.flatMap(({ path, kind, adds }) =>
      body[path].map((one, at) => ({
        path: `${path}.${at}`,
        kind,
        adds,
        one,
        name: names.get(`${kind} ${one}`),
      })),
    );
    refuseFaults(
      'bad_input',
      given.map((each) => [each.path, each.name === undefined ? ['row_refused', 'not_found'] : null]),
    );
    const held = {
      user: new Set(policy.users.map((user) => user.id)),
      site: new Set(policy.sites.map((site) => site.id)),
    };
    const changed = given.filter(({ kind, adds, one }) => held[kind].has(one) !== adds);
    if (changed.length === 0) return null;
    for (const { kind, adds, one } of changed) held[kind][adds ? 'add' : 'delete'](one);
    const [without, holding] = [{ politics: [] }, { politics: [{ id, name }] }];
    const events = changed.map(({ kind, adds, one, name: of = '' }) => ({
      ...{ action: 'changed' as const, kind, id: one, name: of, companyId },
      ...(adds ? { before: without, after: holding } : { before: holding, after: without }),
    }));
    return { set: {}, links: { users: [...held.user], sites: [...held.site] }, events };
  };
  return changeEntity(tx, actor, policyEntity, { id, ifMatch: null }, plan, found);
}

/** Finds a proxy that a company's policy may use: the company's own, or the platform's. */
function findEgress(tx: Tx, id: Expression<number>, companyId: Expression<number>): Statement<Egress> {
  const proxy = tx
    .selectFrom('proxies')
    .select(['id', 'owner_id', 'all_sites'])
    .where('id', '=', id)
    .where(sql<SqlBool>`owner_id in (0, ${companyId})`)
    .forKeyShare();
  return statement(proxy.compile(), ([row]) => {
    if (row === undefined) throw new AppError('bad_input', { fields: { proxyId: ['proxy_gone'] } });
    return row;
  });
}

function allowAllSites(wanted: boolean, proxy: { all_sites: boolean }): void {
  if (wanted && !proxy.all_sites) throw new AppError('all_sites_refused');
}
