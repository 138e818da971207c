import { type CanonicalHost, canonicalHost } from '@propusk/access/host';
import type { Explanation } from '@propusk/contract/why';
import { whyHost, whySite } from '@propusk/contract/why';
import { asMember } from '../core/actor.ts';
import { AppError } from '../core/errors.ts';
import type { Db } from '../db/open.ts';
import { readSnapshot } from '../feed/store.ts';
import { implement, type Routes } from '../http/implement.ts';
import { findManagedSite } from '../sites/store.ts';
import { explain, indexOf, withoutFactor } from './explain.ts';
import { addForeignClaims, findAskedPerson, personLacksFactor, readPolicyNames } from './store.ts';

/** 'Why?': the verdict of the rule of access over the snapshot that gateways get. */
export function whyRoutes(routes: Routes): void {
  implement(routes, whySite, async ({ actor, params, query, db }) => {
    const { companyId, address } = await findManagedSite(db, actor, params.id);
    await findAskedPerson(db, companyId, query.user);
    const [pattern = '', port = '443'] = address.split(':');
    // Of what `*.example.ru` covers the name itself stands for the rest.
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

  async function answer(
    db: Db,
    /** What a company that is gone meanwhile means. */
    gone: 'not_found' | 'unauthorized',
    companyId: number,
    question: { userId: number; host: CanonicalHost | null; port: number },
  ): Promise<Explanation> {
    const source = { db, encryption: routes.encryption, log: routes.app.log };
    const snapshot = await readSnapshot(source, companyId);
    if (snapshot === null) throw new AppError(gone);
    const index = indexOf(snapshot);
    if (await personLacksFactor(db, question.userId)) return withoutFactor;
    if (question.host !== null) await addForeignClaims(db, index, { companyId, host: question.host });
    const names = await readPolicyNames(db, companyId);
    return explain(index, snapshot, question, (id) => names.get(id) ?? String(id));
  }
}
