import { probeSites } from '@propusk/contract/bulk';
import * as contract from '@propusk/contract/probe';
import { evidence } from '@propusk/contract/protection';
import { unicodeHost } from '@propusk/contract/unicode-host';
import { plainAddress } from '@propusk/dial/addresses';
import { sayCheck, sayStep } from '@propusk/phrases/checks';
import { type Actor, asMember, asOwner, readerOf } from '../core/actor.ts';
import { findEntity } from '../entities/entity.ts';
import { rowOf } from '../http/error-reply.ts';
import { implement } from '../http/implement.ts';
import type { Slice } from '../slice.ts';
import { tallyProof } from './messages.ts';
import { pathsEntity, setPaths } from './paths-store.ts';
import { readProgress } from './progress-store.ts';
import { findCheck, requestCheck, requestChecks, type StoredCheck } from './store.ts';

/** Routes for probes of a site's lock, and for the site's start paths and open paths. */
export function checkRoutes(routes: Slice): void {
  implement(routes, contract.checkSite, async ({ actor, params, db, write }) => {
    // This check precedes the rate limit, so that a request for another company's site always gets 404.
    await findCheck(db, actor, params.id);
    await routes.throttle.charge('probe', actor.userId);
    const check = await write((tx) => requestCheck(tx, actor, params.id));
    routes.wake();
    return present(check, actor);
  });

  implement(routes, probeSites, async ({ actor, body, write }) => {
    await routes.throttle.charge('probe', actor.userId);
    const { queued, refused } = await write((tx) => requestChecks(tx, asOwner(actor), body.ids, false));
    routes.wake();
    return { queued, refused: refused.map(rowOf) };
  });

  implement(routes, contract.getProbePaths, ({ actor, params, db }) =>
    findEntity(db, actor, pathsEntity, params.id),
  );

  implement(routes, contract.setProbePaths, ({ actor, target, body, write }) =>
    write((tx) => setPaths(tx, actor, target, body)),
  );

  implement(routes, contract.getSiteCheck, async ({ actor, params, db }) => {
    const check = await findCheck(db, actor, params.id);
    return check === null ? null : present(check, actor);
  });

  implement(routes, contract.echo, async ({ address, header }) => {
    // The response contains the client's address, so a proxy must not cache it for other clients.
    header('cache-control', 'no-store');
    return { address: plainAddress(address) };
  });

  implement(routes, evidence, ({ actor, db }) => readProgress(db, asMember(actor)));
}

function present({ meaning, advice, steps, ...check }: StoredCheck, actor: Actor): contract.SiteCheck {
  const reader = readerOf(actor);
  const rendered = {
    meaning: sayCheck(meaning, reader),
    advice: sayCheck(advice, reader),
    steps: steps.map((step) => sayStep(step, reader)),
  };
  const leadsTo = meaning?.code === 'redirects_away' ? unicodeHost(meaning.params.host) : null;
  return { ...check, ...rendered, proof: tallyProof(steps), leadsTo };
}
