import type { Endpoint } from '@propusk/contract/endpoint';
import type { Role } from '@propusk/contract/roles';
import { AppError } from './errors.ts';

/** The user who makes a call. It is the first argument of every store function and limits the scope of every query. */
export interface Actor {
  readonly userId: number;
  /** The id of the actor's company; null for a platform admin without a company. */
  readonly companyId: number | null;
  readonly roles: readonly Role[];
  readonly tokenHash: Buffer;
  /** The client's IP address. X-Forwarded-For is used only if the request comes from an address in TRUST_PROXY. */
  readonly address: string;
  /**
   * Whether the company requires a second factor that this user has not set up. If so, the user may only make
   * the calls that the contract marks with `beforeFactor`.
   */
  readonly lacksFactor: boolean;
}

/** An actor who belongs to a company. Calls for the roles CREATOR and USER require a Member. */
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

/**
 * Limits an actor to the actor's own company: removes the role ADMIN, which permits changes of every company.
 * @throws AppError no_company
 */
export function asOwner(actor: Actor): Member {
  return { ...asMember(actor), roles: actor.roles.filter((role) => role !== 'ADMIN') };
}

/** The rows that a read or write covers: those of every company, of the actor's company, or of the actor. */
export type Scope = 'platform' | 'company' | 'own';

/** The scope of a read by id: an admin may read rows of every company. */
export function scopeById(actor: Actor): Scope {
  return isAdmin(actor) ? 'platform' : scopeOf(actor);
}

/** The rows that the actor may change: those of every company for an ADMIN, else those of the actor's company. */
export const scopeOfWrite = (actor: Actor): Scope => (isAdmin(actor) ? 'platform' : 'company');

/**
 * The rows that the actor's lists contain: those of the company for an owner, those of every company for an
 * ADMIN who is no owner, and the actor's own rows for an agent.
 */
export function scopeOf(actor: Actor): Scope {
  // For an owner who is also an ADMIN, lists contain only the rows of the owner's company. Separate calls list the rows of every
  // company.
  if (actor.roles.includes('CREATOR') && actor.companyId !== null) return 'company';
  return isAdmin(actor) ? 'platform' : 'own';
}

/** Whether the actor may act on the objects of every company (answers.md: ADMIN, everything of every company). */
export function isAdmin(actor: Actor): boolean {
  return actor.roles.includes('ADMIN');
}

/** The reader for whom a message about the server is phrased. Only messages for an ADMIN name settings of the server. */
export function readerOf(actor: Actor): 'owner' | 'ADMIN' {
  return isAdmin(actor) ? 'ADMIN' : 'owner';
}
