import { evidence } from '@propusk/contract/lock';
import { asMember } from '../core/actor.ts';
import { implement, type Routes } from '../http/implement.ts';
import { readProgress } from './store.ts';

/** What the onboarding and the dashboard may claim. */
export function onboardingProgressRoutes(routes: Routes): void {
  implement(routes, evidence, ({ actor, db }) => readProgress(db, asMember(actor)));
}
