import { type CanonicalHost, canonicalHost } from '@propusk/access/host';
import { type Explanation, whyHost, whySite } from '@propusk/contract/why';
import { denyPhrases, whyPhrases } from '@propusk/phrases/access';
import { asMember } from '../core/actor.ts';
import { AppError } from '../core/errors.ts';
import type { Db } from '../db/open.ts';
import { readSnapshot } from '../feed/store.ts';
import { implement, type Routes } from '../http/implement.ts';
import { findManagedSite } from '../sites/store.ts';
import { explain, indexOf, type Why } from './explain.ts';
import { addForeignClaims, findAskedPerson, personLacksFactor, readPolicyNames } from './store.ts';

/** "Why?": the rule of access, run on the snapshot that gateways get. */
export function whyRoutes(routes: Routes): void {
  implement(routes, whySite, async ({ actor, params, query, db }) => {
    const { companyId, address } = await findManagedSite(db, actor, params.id);
    await findAskedPerson(db, companyId, query.user);
    const [pattern = '', port = '443'] = address.split(':');
    // For `*.example.ru` the answer is about `example.ru`.
    const host = canonicalHost(pattern.replace(/^\*\./, ''));
    return answer(db, 'not_found', companyId, { userId: query.user, host, port: Number(port) });
  });

  implement(routes, whyHost, ({ actor, query, db }) => {
    const { companyId, userId } = asMember(actor);
    return answer(db, 'unauthorized', companyId, {
      userId,
      host: canonicalHost(query.host),
      port: query.port,
    });
  });

  /** @param gone the error for a company that is deleted meanwhile */
  async function answer(
    db: Db,
    gone: 'not_found' | 'unauthorized',
    companyId: number,
    question: { userId: number; host: CanonicalHost | null; port: number },
  ): Promise<Explanation> {
    const source = { db, encryption: routes.encryption, log: routes.app.log };
    const snapshot = await readSnapshot(source, companyId);
    if (snapshot === null) throw new AppError(gone);
    if (await personLacksFactor(db, question.userId)) return present(lacksFactor, new Map());
    const index = indexOf(snapshot);
    if (question.host !== null) await addForeignClaims(db, index, { companyId, host: question.host });
    return present(explain(index, snapshot, question), await readPolicyNames(db, companyId));
  }
}

/** Users without a required second factor are in no snapshot. */
const lacksFactor: Why = {
  allow: false,
  reason: 'second_factor_required',
  links: [{ code: 'second_factor', there: false }],
};

function present(why: Why, policyNames: ReadonlyMap<number, string>): Explanation {
  const links = why.links.map(({ code, there }) => ({ title: whyPhrases.links[code], there }));
  if (!why.allow) {
    const { reason } = why;
    const phrases =
      reason === 'second_factor_required' ? whyPhrases.second_factor_required : denyPhrases[reason];
    const { why: message, advice } = phrases;
    return { allow: false, reason, message, advice, policy: null, proxy: null, links };
  }
  const { policyId, proxy } = why;
  const name = policyNames.get(policyId) ?? String(policyId);
  return {
    allow: true,
    reason: null,
    message: whyPhrases.allowed(name),
    advice: null,
    policy: { id: policyId, name },
    proxy: proxy && { id: proxy.id, name: proxy.host ?? whyPhrases.gateway },
    links,
  };
}
