import { createHash, randomBytes } from 'node:crypto';
import type { Endpoint } from '@propusk/contract/endpoint';
import type { Role } from '@propusk/contract/roles';
import type { FastifyRequest } from 'fastify';
import { sql } from 'kysely';
import { lacksFactor as lacks } from '../db/factor.ts';
import type { Db, Tx } from '../db/open.ts';
import { AppError } from './errors.ts';
import type { Find } from './together.ts';

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

/** A fresh token of 256 bits, and the hash that is stored instead of it. */
export function newToken(): { token: string; hash: Buffer } {
  const token = randomBytes(32).toString('base64url');
  return { token, hash: hashToken(token) };
}

/** What is stored of a token, and found by it. */
// No salt and no stretching: the token is random and long (NIST SP 800-63B section 5.1.2.2 asks them for short ones).
export function hashToken(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}

/** The bearer token of a request (RFC 6750 section 2.1), or null. */
export function bearer(request: FastifyRequest): string | null {
  return /^Bearer ([A-Za-z0-9._~+/-]{1,512}=*)$/i.exec(request.headers.authorization ?? '')?.[1] ?? null;
}

/**
 * Who stands behind a token now: a session that was ended, or whose user is gone, is nobody.
 * @throws AppError unauthorized
 */
export async function findActor(
  { db, sessions }: { db: Db; sessions: Find<Session> },
  token: string | null,
  address: string,
): Promise<Actor> {
  const session = token === null ? undefined : await sessions(hashToken(token));
  if (session === undefined) throw new AppError('unauthorized');
  if (session.unseen) await noteSeen(db, session.holder);
  return { ...session.holder, address };
}

/** An actor, wherever the call came from. */
type Holder = Omit<Actor, 'address'>;

/** A session that is open. */
export interface Session {
  readonly holder: Holder;
  /** Whether it was not noted for a while that it is in use. */
  readonly unseen: boolean;
}

/** The same by the stored hash, as a transaction sees it. @throws AppError unauthorized */
export async function findHolder(tx: Tx, tokenHash: Buffer): Promise<Holder> {
  const session = (await findSessions(tx, [tokenHash])).get(tokenHash.toString('hex'));
  if (session === undefined) throw new AppError('unauthorized');
  return session.holder;
}

/** The open sessions among those of some hashes, by the hash in hex. */
export async function findSessions(db: Db, hashes: readonly Buffer[]): Promise<Map<string, Session>> {
  const users = await db
    .selectFrom('sessions')
    .innerJoin('users', 'users.id', 'sessions.user_id')
    .select([
      'sessions.token_hash as tokenHash',
      'users.id as userId',
      'users.company_id as companyId',
      'users.roles',
      unseen.as('unseen'),
      lacks.as('lacksFactor'),
    ])
    .where('sessions.token_hash', '=', sql<Buffer>`any(${hashes}::bytea[])`)
    .where('sessions.expires_at', '>', (eb) => eb.fn<string>('now'))
    .execute();
  return new Map(
    users.map(({ unseen, ...holder }) => [holder.tokenHash.toString('hex'), { holder, unseen }]),
  );
}

// Not at every call: the list of sessions need not know the minute, and each note is a write.
const unseen = sql<boolean>`sessions.last_seen_at < now() - interval '5 minutes'`;

/** Notes that a session is in use. */
async function noteSeen(db: Db, { tokenHash }: Holder): Promise<void> {
  // A row that somebody else is writing is noted by them, or about to go.
  const free = sql`select token_hash from sessions where token_hash = ${tokenHash} and ${unseen} for update skip locked`;
  try {
    await sql`update sessions set last_seen_at = now() where token_hash = (${free})`.execute(db);
  } catch {
    // On a full disk reading goes on: what was asked for must not fail for what nobody asked for.
  }
}

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
