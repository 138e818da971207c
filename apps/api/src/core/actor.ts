import type { Endpoint } from '@propusk/contract/endpoint';
import type { Role } from '@propusk/contract/roles';
import { AppError } from './errors.ts';

/** Who makes a call: comes first in every store call, and is what every statement is held to. */
export interface Actor {
  readonly userId: number;
  /** null: a platform admin outside every company. */
  readonly companyId: number | null;
  readonly roles: readonly Role[];
  readonly tokenHash: Buffer;
  /** Where the call came from, as far as TRUST_PROXY lets it be known. */
  readonly address: string;
  /** The company requires a second factor, and this person has none yet: only what says `beforeFactor` is open. */
  readonly lacksFactor: boolean;
}

/** An actor of a company, as CREATOR and USER calls get it. */
export interface Member extends Actor {
  readonly companyId: number;
}

/** An actor, wherever the call came from. */
export type Holder = Omit<Actor, 'address'>;

/** @throws AppError forbidden when the call is for roles that the actor does not hold */
export function admit(actor: Holder, access: 'signed-in' | readonly Role[]): void {
  if (access === 'signed-in') return;
  if (!access.some((role) => actor.roles.includes(role))) throw new AppError('forbidden');
}

/** @throws AppError forbidden; second_factor_required for what is not open before the actor has one */
export function admitTo(actor: Holder, { access, beforeFactor }: Endpoint): void {
  if (Array.isArray(access)) admit(actor, access);
  if (actor.lacksFactor && !beforeFactor) throw new AppError('second_factor_required');
}

/** @throws AppError no_company for an admin who belongs to no company */
export function asMember(actor: Actor): Member {
  if (actor.companyId === null) throw new AppError('no_company');
  return actor as Member;
}

/** Whose rows a reading is about: every company's, the own company's, or the person's own. */
export type Scope = 'platform' | 'company' | 'own';

/** The scope of a row that is asked for by its id: an admin may name anybody's. */
export function scopeById(actor: Actor): Scope {
  return isAdmin(actor) ? 'platform' : scopeOf(actor);
}

/** The scope of a list. */
export function scopeOf(actor: Actor): Scope {
  // An owner who is an admin as well works in the own company there; the admin lists are calls of their own.
  if (actor.roles.includes('CREATOR') && actor.companyId !== null) return 'company';
  return isAdmin(actor) ? 'platform' : 'own';
}

/** Whether the actor acts on every company's objects (answers.md: ADMIN, everything of every company). */
export function isAdmin(actor: Actor): boolean {
  return actor.roles.includes('ADMIN');
}
