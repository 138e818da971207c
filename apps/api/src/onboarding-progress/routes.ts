import { evidence } from '@propusk/contract/protection';
import { asMember } from '../core/actor.ts';
import { implement, type Routes } from '../http/implement.ts';
import { readProgress } from './store.ts';

/** The progress of the onboarding, for the onboarding page and the dashboard. */
export function onboardingProgressRoutes(routes: Routes): void {
  implement(routes, evidence, ({ actor, db }) => readProgress(db, asMember(actor)));
}
