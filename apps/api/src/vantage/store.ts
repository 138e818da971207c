import { randomBytes } from 'node:crypto';
import { limits } from '@propusk/contract/limits';
import type { Vantage } from '@propusk/contract/vantages';
import { plainAddress } from '@propusk/dial/addresses';
import { sql } from 'kysely';
import { record } from '../audit/store.ts';
import { type Actor, asMember, isAdmin } from '../core/actor.ts';
import { AppError } from '../core/errors.ts';
import { hashToken, newToken } from '../core/tokens.ts';
import { advisoryLocks } from '../db/advisory-locks.ts';
import type { Db, Tx } from '../db/open.ts';
import { ofCompany } from '../db/scope.ts';
import type { Encryption } from '../encryption.ts';

/** At most 20 vantages per company, and 20 of the platform; further vantages are refused. */
const MAX_VANTAGES = 20;
/** A vantage is present for this time after its last call. Probes wait for the reports of present vantages. */
export const PRESENT = sql.raw(`interval '1 minute'`);

/** The company whose vantages an actor manages; null for vantages of the platform. @throws AppError no_company */
function ownerOf(actor: Actor): number | null {
  return isAdmin(actor) && actor.companyId === null ? null : asMember(actor).companyId;
}

/** Lists the paired and unpaired vantages of the actor's company, or of the platform, by name. @throws AppError no_company */
export async function findVantages(db: Db, actor: Actor): Promise<{ rows: Vantage[]; count: number }> {
  const { rows } = await sql<Vantage>`
    select id, name, address, seen_at as "seenAt", coalesce(seen_at > now() - ${PRESENT}, false) as present
    from vantages where ${ofCompany(ownerOf(actor))}
      and (code_expires_at is null or code_expires_at > now())
    order by name, id`.execute(db);
  return { rows, count: rows.length };
}

/** Adds a vantage. @returns the code that pairs a machine. @throws AppError no_company, too_many_objects */
export async function addVantage(
  tx: Tx,
  actor: Actor,
  name: string,
): Promise<{ id: number; code: string; expiresAt: string }> {
  const companyId = ownerOf(actor);
  const { token: code, hash } = newToken();
  const expiresAt = new Date(Date.now() + limits.vantagePairingMinutes * 60_000).toISOString();
  // Serializes calls that add a vantage to the same company, so that concurrent calls do not exceed the limit of vantages.
  await sql`select pg_advisory_xact_lock(${advisoryLocks.vantages}::int, ${companyId ?? 0}::int)`.execute(tx);
  const { rows } = await sql<{ id: number }>`
    insert into vantages (company_id, name, code_hash, code_expires_at)
    select ${companyId}::bigint, ${name}, ${hash}, ${expiresAt}
    where (select count(*) from vantages where ${ofCompany(companyId)}) < ${MAX_VANTAGES}
    returning id`.execute(tx);
  const [added] = rows;
  if (added === undefined) throw new AppError('too_many_objects');
  await record(tx, actor, { action: 'created', kind: 'vantage', id: added.id, name, companyId });
  return { id: added.id, code, expiresAt };
}

/**
 * Deletes a vantage with its key and tasks, and schedules an immediate probe of the sites that the vantage probed.
 * @throws AppError not_found, no_company
 */
export async function removeVantage(tx: Tx, actor: Actor, id: number): Promise<void> {
  const companyId = ownerOf(actor);
  const gone = await tx
    .deleteFrom('vantages')
    .where('id', '=', id)
    .where(ofCompany(companyId))
    .returning('name')
    .executeTakeFirst();
  if (gone === undefined) throw new AppError('not_found');
  await makeDue(tx, companyId, sql`true`);
  await record(tx, actor, { action: 'deleted', kind: 'vantage', id, name: gone.name, companyId });
}

/** Redeems a pairing code. @returns the id of the vantage and its new key in hex. @throws AppError link_dead */
export async function pairVantage(
  tx: Tx,
  code: string,
  encryption: Encryption,
): Promise<{ vantage: number; key: string }> {
  const key = randomBytes(32).toString('hex');
  const { rows } = await sql<{ id: number }>`select id from vantages
    where code_hash = ${hashToken(code)} and code_expires_at > now() for update`.execute(tx);
  const [found] = rows;
  if (found === undefined) throw new AppError('link_dead', { detail: ['pairing_code_dead'] });
  await sql`update vantages set code_hash = null, code_expires_at = null,
    key_sealed = ${encryption.seal(keyPlace(found.id), key)} where id = ${found.id}`.execute(tx);
  return { vantage: found.id, key };
}

/** Reads the key of a vantage; null if the vantage is unknown or unpaired, or its key cannot be decrypted. */
export async function findKey(db: Db, id: number, encryption: Encryption): Promise<string | null> {
  const row = await db.selectFrom('vantages').select('key_sealed').where('id', '=', id).executeTakeFirst();
  if (row === undefined || row.key_sealed === null) return null;
  try {
    return encryption.open(keyPlace(id), row.key_sealed);
  } catch {
    return null;
  }
}

/** Additional authenticated data for the vantage key: binds the ciphertext to its row. */
export const keyPlace = (id: number) => `vantage/${id}`;

/**
 * Records a verified call of a vantage. If the vantage was absent for more than a minute, the call also schedules immediate
 * probes, because the vantage can be absent again at the next daily probe. These probes are for sites whose last probe lacked
 * a vantage or ended more than 20 hours ago.
 * @returns the company of the vantage; null for a vantage of the platform
 * @throws AppError unauthorized for a replayed call: its count is not higher than the stored count
 */
export async function recordCall(
  tx: Tx,
  { id, count, address }: { id: number; count: number; address: string },
): Promise<number | null> {
  const { rows } = await sql<{ company_id: number | null; back: boolean }>`
    update vantages v set count = ${count}, address = ${plainAddress(address)}, seen_at = now()
    from vantages old where old.id = v.id and v.id = ${id} and v.count < ${count}
    returning v.company_id, coalesce(old.seen_at < now() - ${PRESENT}, true) as back`.execute(tx);
  const [seen] = rows;
  if (seen === undefined) throw new AppError('unauthorized');
  if (seen.back) {
    const lacked = sql`meaning ->> 'code' in ('insider', 'vantage_away', 'vantage_unanswered')`;
    await makeDue(tx, seen.company_id, sql`(${lacked} or finished_at < now() - interval '20 hours')`);
  }
  return seen.company_id;
}

/**
 * Schedules an immediate probe of sites whose last probe is finished.
 * @param companyId null for the sites of all companies
 */
async function makeDue(tx: Tx, companyId: number | null, which: ReturnType<typeof sql>): Promise<void> {
  await sql`update site_checks set next_at = least(next_at, now())
    where state = 'done' and ${companyId === null ? sql`true` : ofCompany(companyId)} and ${which}`.execute(
    tx,
  );
}
