import { TimeRule } from '@propusk/access/time-rule';
import type { MemberChange } from '@propusk/contract/bulk';
import type { RightTimes } from '@propusk/contract/feed';
import type { Policy, PolicyChange, PolicyInput, PolicyQuery } from '@propusk/contract/policies';
import type { TimesInput } from '@propusk/contract/times';
import { type Expression, type Selectable, type SqlBool, sql } from 'kysely';
import { type Actor, type Member, scopeOf, scopeOfWrite } from '../core/actor.ts';
import { AppError, found, refuseFaults } from '../core/errors.ts';
import type { Target } from '../core/versions.ts';
import { linkedItems, links, ownPolicies } from '../db/links.ts';
import { every } from '../db/list.ts';
import type { Tx } from '../db/open.ts';
import { run, type Statement, statement } from '../db/pipeline.ts';
import type { Tables } from '../db/schema.ts';
import { inScope } from '../db/scope.ts';
import { demandZone, endsOf, endsWithin, momentOf } from '../db/times.ts';
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
    'policies.valid_from as validFrom',
    'policies.valid_until as validUntil',
    'policies.windows',
    'policies.zone',
    sql<string>`coalesce(policies.zone, (select time_zone from companies c where c.id = policies.company_id))`.as(
      'timeZone',
    ),
    sql<number>`extract(epoch from now())::float8 * 1000`.as('moment'),
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
  present: ({ users, allSites, moment, windows, ...row }, actor): Policy => ({
    ...row,
    windows: windows ?? [],
    ...stateOf({ ...row, windows }, moment),
    // The flag for all sites has no effect while the proxy of the policy does not allow all sites.
    allSites: allSites && row.proxy.some(({ settings }) => settings.allSites),
    users: scopeOf(actor) === 'own' ? users.filter(({ id }) => id === actor.userId) : users,
  }),
  sees: (actor, scope) =>
    inScope(actor, scope, 'policies.company_id', sql`policies.id in ${ownPolicies(actor)}`),
  filter: (actor, { ends }: PolicyQuery) => {
    const own = scopeOf(actor) === 'own' ? sql`and l.user_id = ${actor.userId}` : sql``;
    return every(
      ends !== undefined &&
        sql`(${endsWithin(ends, sql`policies.valid_until`)} or exists (select from policy_members l
          where l.company_id = policies.company_id and l.policy_id = policies.id ${own} and ${endsWithin(ends, sql`l.ends_at`)}))`,
    );
  },
  search: ['policies.name', 'policies.description'],
  name: ({ name }) => name,
  facts: ({ name, description, allSites, users, sites, proxy, windows, ...times }) => ({
    ...{ name, description, allSites, users, sites, ends: endsOf(users) },
    ...{ validFrom: times.validFrom ?? '', validUntil: times.validUntil ?? '', zone: times.zone ?? '' },
    windows: windows.length === 0 ? '' : JSON.stringify(windows),
    proxy: proxy.map(({ host }) => host).join(', '),
  }),
});

/** Whether the times of a policy allow access, and until when. @param moment ms since 1970 */
function stateOf(
  {
    validFrom,
    validUntil,
    windows,
    timeZone,
  }: Pick<Policy, 'validFrom' | 'validUntil' | 'timeZone'> & Pick<RightTimes, 'windows'>,
  moment: number,
) {
  const at = (time: string | null) => (time === null ? null : Date.parse(time));
  const rule = new TimeRule({ from: at(validFrom), until: at(validUntil), windows, zone: timeZone });
  const { open, until } = rule.at(moment);
  return { open, changesAt: Number.isFinite(until) ? new Date(until).toISOString() : null };
}

/**
 * The columns of the times of a policy. An absent field leaves its column unchanged.
 * @param kept SQL of the policy's own zone, for a change that does not set the zone
 * @throws AppError bad_input for an unknown zone
 */
async function timesOf(
  tx: Tx,
  companyId: number,
  { validFrom, validUntil, windows, zone }: TimesInput,
  kept = sql`null`,
) {
  if (zone) await demandZone(tx, zone, 'zone');
  const own = zone === undefined ? kept : sql`nullif(${zone}::text, '')`;
  const timeZone = sql`coalesce(${own}, (select time_zone from companies where id = ${companyId}))`;
  return {
    ...{ valid_from: momentOf(validFrom, timeZone, false), valid_until: momentOf(validUntil, timeZone) },
    zone: zone === '' ? null : zone,
    windows: windows?.length === 0 ? null : windows && JSON.stringify(windows),
  };
}

/**
 * @param path the prefix of the fields in errors
 * @throws AppError bad_input for a proxy, user or site of another company; all_sites_refused; not_in_plan; too_many_objects
 */
export async function createPolicy(tx: Tx, actor: Member, body: PolicyInput, path = ''): Promise<Policy> {
  await makeRoom(tx, 'policies', actor.companyId);
  const proxy = await run(tx, findEgress(tx, sql.val(body.proxyId), sql.val(actor.companyId), path));
  allowAllSites(body.allSites, proxy);
  if (body.allSites) await demandInPlan(tx, actor.companyId, 'all_sites');
  const row = {
    company_id: actor.companyId,
    name: body.name,
    description: body.description === '' ? body.name : body.description,
    proxy_id: proxy.id,
    proxy_owner_id: proxy.owner_id,
    all_sites: body.allSites,
    ...(await timesOf(tx, actor.companyId, body)),
  };
  const options = { linked: [body], pathOf: () => path };
  return found((await createEntities(tx, actor, policyEntity, [row], options))[0]);
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
        ...(await timesOf(tx, policy.company_id, body, sql.ref('policies.zone'))),
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
  const of = (kind: 'user' | 'site', adds: boolean, list: keyof MemberChange) =>
    body[list].map((one, at) => ({ kind, adds, one, path: `${list}.${at}` }));
  const given = [
    ...of('user', true, 'addUsers'),
    ...of('user', false, 'removeUsers'),
    ...of('site', true, 'addSites'),
    ...of('site', false, 'removeSites'),
  ];
  const lookup = sql<{ name: string | null }>`
    select coalesce((select email from users where kind = 'user' and company_id = ${companyId} and id = one),
      (select shown_address from sites where kind = 'site' and company_id = ${companyId} and id = one)) as name
    from unnest(${given.map(({ kind }) => kind)}::text[], ${given.map(({ one }) => one)}::bigint[])
      with ordinality as given (kind, one, place) order by place`;
  const names = statement(lookup.compile(tx), (rows) => rows.map(({ name }) => name));
  const plan = ({ name }: { name: string }, found: readonly (string | null)[], policy: Policy) => {
    refuseFaults('bad_input', given, ({ path }, at) =>
      found[at] === null ? [path, ['row_refused', 'not_found']] : null,
    );
    const idsOf = (rows: readonly { id: number }[]) => new Set(rows.map((row) => row.id));
    const held = { user: idsOf(policy.users), site: idsOf(policy.sites) };
    const [without, holding] = [{ politics: [] }, { politics: [{ id, name }] }];
    const events = given.flatMap(({ kind, adds, one }, at) => {
      if (held[kind].has(one) === adds) return [];
      held[kind][adds ? 'add' : 'delete'](one);
      const [before, after] = adds ? [without, holding] : [holding, without];
      return { action: 'changed' as const, kind, id: one, name: found[at] ?? '', companyId, before, after };
    });
    if (events.length === 0) return null;
    return { set: {}, links: { users: [...held.user], sites: [...held.site] }, events };
  };
  return changeEntity(tx, actor, policyEntity, { id, ifMatch: null }, plan, names);
}

/** Finds a proxy that a company's policy may use: the company's own, or the platform's. */
function findEgress(
  tx: Tx,
  id: Expression<number>,
  companyId: Expression<number>,
  path = '',
): Statement<Egress> {
  const proxy = tx
    .selectFrom('proxies')
    .select(['id', 'owner_id', 'all_sites'])
    .where('id', '=', id)
    .where(sql<SqlBool>`owner_id in (0, ${companyId})`)
    .forKeyShare();
  return statement(proxy.compile(), ([row]) => {
    if (row === undefined)
      throw new AppError('bad_input', { fields: { [`${path}proxyId`]: ['proxy_gone'] } });
    return row;
  });
}

function allowAllSites(wanted: boolean, proxy: { all_sites: boolean }): void {
  if (wanted && !proxy.all_sites) throw new AppError('all_sites_refused');
}
