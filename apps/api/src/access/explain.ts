import { type Decision, decide, patternsCovering } from '@propusk/access/decide';
import type { CanonicalHost } from '@propusk/access/host';
import { sayings } from '@propusk/access/sayings';
import {
  type AccessIndex,
  type CompanyIndex,
  emptyIndex,
  putCompany,
  type SiteIndex,
  sitesFrom,
} from '@propusk/access/snapshot';
import type { CompanySnapshot } from '@propusk/contract/feed';
import type { Explanation } from '@propusk/contract/why';

/** What is asked: may this person reach this host at this port. `null` stands for what is no name of a site. */
interface Question {
  readonly userId: number;
  readonly host: CanonicalHost | null;
  readonly port: number;
}

/** The verdict on somebody who is in no snapshot until they have a second factor. */
export const withoutFactor: Explanation = {
  allow: false,
  reason: 'second_factor_required',
  message: 'Компания требует второй фактор, а у этого человека его нет.',
  advice: 'Пусть войдёт в консоль: она покажет, что делать. Доступ откроется сразу.',
  policy: null,
  proxy: null,
  links: [{ title: 'Второй фактор включён', there: false }],
};

/** A snapshot as `decide()` reads it. */
export function indexOf(snapshot: CompanySnapshot): AccessIndex {
  const index = emptyIndex();
  putCompany(index, snapshot);
  return index;
}

/**
 * The verdict of `decide()` in words, with the links between person and site.
 * @param index the gateway's own view: the company, and on shared egress the claims of the others
 * @param policyName the name of a policy that the verdict speaks of
 */
export function explain(
  index: AccessIndex,
  snapshot: CompanySnapshot,
  { userId, host, port }: Question,
  policyName: (id: number) => string,
): Explanation {
  const decision: Decision =
    host === null ? { allow: false, reason: 'bad_host' } : decide(index, userId, host, port);
  const links = linksOf(index, decision, { userId, host, port });
  if (!decision.allow) {
    const { why, advice } = sayings[decision.reason];
    return { allow: false, reason: decision.reason, message: why, advice, policy: null, proxy: null, links };
  }
  const { policyId } = decision;
  const proxyId = snapshot.policies.find(({ id }) => id === policyId)?.proxyId;
  const proxy = snapshot.proxies.find(({ id }) => id === proxyId);
  const policy = { id: policyId, name: policyName(policyId) };
  const way = proxy === undefined ? null : { id: proxy.id, name: proxy.direct ? 'Этот шлюз' : proxy.host };
  return {
    allow: true,
    reason: null,
    message: `Доступ есть: его даёт политика «${policy.name}».`,
    advice: null,
    policy,
    proxy: way,
    links,
  };
}

/** Each link by itself: the first that is missing is what the verdict fails by. */
function linksOf(index: AccessIndex, decision: Decision, { userId, host, port }: Question) {
  const user = index.users.get(userId);
  const web = port === 80 || port === 443;
  const covering = user === undefined || host === null ? [] : sitesOf(user.company, host);
  const opened = (user?.policies ?? []).filter(
    (policy) => policy.allSites || covering.some(({ policies }) => policies.includes(policy)),
  );
  const portOpen =
    covering.some((site) => site.port === port || (site.port === 0 && web)) ||
    (web && opened.some(({ allSites }) => allSites));
  const taken = !decision.allow && decision.reason === 'host_taken';
  return [
    { title: 'Человек состоит в компании', there: user !== undefined },
    { title: 'Человек включён в политику доступа', there: (user?.policies.length ?? 0) > 0 },
    { title: 'Политика открывает этот сайт', there: opened.length > 0 },
    { title: 'Порт сайта открыт', there: portOpen },
    {
      title: 'Прокси политики пропускает этот сайт',
      there: decision.allow || (portOpen && opened.length > 0 && !taken),
    },
  ];
}

/** The company's sites that cover a host, at whatever port; the port 0 stands for 80 and 443. */
function sitesOf({ patterns }: CompanyIndex, host: CanonicalHost): readonly SiteIndex[] {
  return patternsCovering(host).flatMap((pattern) => [...sitesFrom(patterns.get(pattern))]);
}
