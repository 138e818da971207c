import type { Endpoint } from '@propusk/contract/endpoint';
import type { Role } from '@propusk/contract/roles';
import { AppError } from './errors.ts';

/** The user who makes a call. It is the first argument of every store function and limits the scope of every query. */
export interface Actor {
  readonly userId: number;
  /** null for a platform admin without a company. */
  readonly companyId: number | null;
  readonly roles: readonly Role[];
  readonly tokenHash: Buffer;
  /** The client's IP address; X-Forwarded-For counts only from TRUST_PROXY. */
  readonly address: string;
  /** The company requires a second factor, and this user has none yet. Only calls with `beforeFactor` are allowed. */
  readonly lacksFactor: boolean;
}

/** An actor of a company, for calls of CREATOR and USER. */
export interface Member extends Actor {
  readonly companyId: number;
}

/** The user of a session: an actor without a client address. */
export type Holder = Omit<Actor, 'address'>;

/** @throws AppError forbidden when the actor has none of the roles */
export function admit(actor: Holder, access: 'signed-in' | readonly Role[]): void {
  if (access === 'signed-in') return;
  if (!access.some((role) => actor.roles.includes(role))) throw new AppError('forbidden');
}

/**
 * Checks that an actor may make a call.
 * @throws AppError forbidden when the actor has none of the call's roles; second_factor_required when the company
 * requires a second factor and the actor has none
 */
export function admitTo(actor: Holder, { access, beforeFactor }: Endpoint): void {
  if (Array.isArray(access)) admit(actor, access);
  if (actor.lacksFactor && !beforeFactor) throw new AppError('second_factor_required');
}

/** @throws AppError no_company for an admin without a company */
export function asMember(actor: Actor): Member {
  if (actor.companyId === null) throw new AppError('no_company');
  return actor as Member;
}

/** The rows that a read or write covers: those of every company, of the actor's company, or of the actor. */
export type Scope = 'platform' | 'company' | 'own';

/** The scope of a read by id: an admin may read rows of every company. */
export function scopeById(actor: Actor): Scope {
  return isAdmin(actor) ? 'platform' : scopeOf(actor);
}

/** The scope of a write. */
export const scopeOfWrite = (actor: Actor): Scope => (isAdmin(actor) ? 'platform' : 'company');

/** The scope of a list. */
export function scopeOf(actor: Actor): Scope {
  // An owner who is also an ADMIN gets the rows of the own company. The lists of every company are separate calls.
  if (actor.roles.includes('CREATOR') && actor.companyId !== null) return 'company';
  return isAdmin(actor) ? 'platform' : 'own';
}

/** Whether the actor may act on the objects of every company (answers.md: ADMIN, everything of every company). */
export function isAdmin(actor: Actor): boolean {
  return actor.roles.includes('ADMIN');
}

/** The reader of a message about the server. Only messages for an ADMIN contain the server's settings. */
export function readerOf(actor: Actor): 'owner' | 'ADMIN' {
  return isAdmin(actor) ? 'ADMIN' : 'owner';
}
