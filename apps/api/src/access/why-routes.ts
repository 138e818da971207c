import { type CanonicalHost, canonicalHost } from '@propusk/access/host';
import { type Explanation, whyHost, whySite } from '@propusk/contract/why';
import { denyPhrases, whyPhrases } from '@propusk/phrases/access';
import { asMember } from '../core/actor.ts';
import { AppError } from '../core/errors.ts';
import type { Db } from '../db/open.ts';
import { readMoment, readSnapshot } from '../feed/store.ts';
import { implement, type Routes } from '../http/implement.ts';
import { findManagedSite } from '../sites/store.ts';
import { changeOf, explain, findMends, hostOf, indexOf, type Why } from './explain.ts';
import { findOmission, readForeignClaims, readPolicyNames } from './store.ts';

/** Explains why a user may or may not reach a site. Uses the same rule and the same snapshot as the gateway. */
export function whyRoutes(routes: Routes): void {
  implement(routes, whySite, async ({ actor, params, query, db }) => {
    const { companyId, address } = await findManagedSite(db, actor, params.id);
    return answer(db, 'person', companyId, { userId: query.user, ...hostOf(address) });
  });

  implement(routes, whyHost, ({ actor, query, db }) => {
    const { companyId, userId } = asMember(actor);
    return answer(db, 'caller', companyId, {
      userId,
      host: canonicalHost(query.host),
      port: query.port,
    });
  });

  /** @param about the user whose access is explained: another user (`person`) or the caller (`caller`) */
  async function answer(
    db: Db,
    about: 'person' | 'caller',
    companyId: number,
    question: { userId: number; host: CanonicalHost | null; port: number },
  ): Promise<Explanation> {
    const missing = () => new AppError(about === 'person' ? 'not_found' : 'unauthorized');
    const omission = await findOmission(db, companyId, question.userId);
    if (omission === undefined) throw missing();
    const source = { db, encryption: routes.encryption, log: routes.app.log };
    const snapshot = await readSnapshot(source, companyId);
    // The company was deleted meanwhile.
    if (snapshot === null) throw missing();
    const { reason, until } = omission;
    if (reason !== null) {
      const links = [{ code: omissions[reason], state: 'missing' as const }];
      return present({ allow: false, reason, links }, until, new Map(), about, []);
    }
    const now = await readMoment(db);
    const claims = await readForeignClaims(db, {
      companyId,
      hosts: question.host === null ? [] : [question.host],
    });
    const index = indexOf(snapshot, claims);
    const why = explain(index, snapshot, question, now);
    const mends =
      why.allow || about === 'caller' ? [] : findMends(index, { snapshot, claims }, question, now);
    return present(why, changeOf(index, question, now), await readPolicyNames(db, companyId), about, mends);
  }
}

/** Maps the reason why the snapshot omits a user to the condition that the user does not meet. */
const omissions = {
  suspended: 'not_suspended',
  company_unconfirmed: 'company_confirmed',
  invitation_pending: 'password_set',
  second_factor_required: 'second_factor',
} as const;

function present(
  why: Why,
  until: string | null,
  policyNames: ReadonlyMap<number, string>,
  about: 'person' | 'caller',
  mendIds: readonly number[],
): Explanation {
  const named = (id: number) => ({ id, name: policyNames.get(id) ?? String(id) });
  const links = why.links.map(({ code, state }) => ({ title: whyPhrases.links[code], state }));
  const mends = mendIds.map(named);
  if (!why.allow) {
    const { reason } = why;
    const names = mends.map(({ name }) => name);
    const holds = why.links.some(({ code, state }) => code === 'user_of_policy' && state === 'held');
    const { why: message, advice } =
      about === 'person'
        ? whyPhrases.person(reason, names, holds)
        : { ...denyPhrases, ...whyPhrases }[reason];
    return { allow: false, reason, message, until, advice, policy: null, proxy: null, links, mends };
  }
  const { policyId, proxy } = why;
  const { name } = named(policyId);
  return {
    allow: true,
    reason: null,
    message: whyPhrases.allowed(name),
    until,
    advice: null,
    policy: { id: policyId, name },
    proxy: proxy && { id: proxy.id, name: proxy.host ?? whyPhrases.gateway },
    links,
    mends,
  };
}
