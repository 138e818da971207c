import {
  keepsLess,
  type RecordCut,
  type RecordSettings,
  type RecordSettingsChange,
} from '@propusk/contract/record-settings';
import { sql } from 'kysely';
import { companyEntity } from '../companies/store.ts';
import type { Member } from '../core/actor.ts';
import { AppError, tooMany } from '../core/errors.ts';
import type { IfMatch } from '../core/versions.ts';
import { afterCommit } from '../db/after-commit.ts';
import { lockCompany } from '../db/company.ts';
import type { Db, Tx } from '../db/open.ts';
import { demandZone, isoOf } from '../db/times.ts';
import { changeEntity } from '../entities/change.ts';
import { entity, findEntity } from '../entities/entity.ts';
import { queueMail } from '../mail/store.ts';
import type { Slice } from '../slice.ts';

const CUT_DELAY = sql.raw(`interval '72 hours'`);
/** At most this many owners get a mail about a pending change. */
const MOST_OWNERS = 10;

type Parts = Pick<Slice, 'config' | 'throttle' | 'outbox' | 'links'>;

/** The settings in force, and the pending change. */
const settingsEntity = entity({
  ...companyEntity,
  columns: () => [
    'companies.company_name as companyName',
    'companies.record_addresses as addresses',
    'companies.record_days as retentionDays',
    'companies.record_names as keepNames',
    'companies.time_zone as timeZone',
    'companies.version',
    'companies.created_at as createdAt',
    'companies.updated_at as updatedAt',
    sql<RecordCut | null>`(select jsonb_build_object('retentionDays', k.retention_days, 'keepNames', k.keep_names,
        'inForceAt', ${isoOf(sql`k.in_force_at`)},
        'by', coalesce((select email::text from users where id = k.user_id), ''))
      from record_cuts k where k.company_id = companies.id)`.as('pending'),
  ],
  present: (row) => row,
  name: ({ companyName }) => companyName,
  /** The settings in an audit event. If a change is pending, the event has the pending values and the time of their effect. */
  facts: ({ addresses, timeZone, pending, ...now }) => {
    const { retentionDays, keepNames } = pending ?? now;
    return {
      ...{ addresses, keepNames, timeZone },
      retentionDays: String(retentionDays ?? ''),
      recordsCutAt: pending?.inForceAt ?? '',
    };
  },
});

/** The settings of a company's records. @param platformDays how long the platform keeps records */
export async function readSettings(db: Db, actor: Member, platformDays: number): Promise<RecordSettings> {
  return { ...(await findEntity(db, actor, settingsEntity, actor.companyId)), platformDays };
}

/**
 * Replaces the settings. Gateways receive them with the next snapshot. A shorter retention becomes a pending change, which takes
 * effect after 72 hours unless a later call replaces or cancels it.
 * @throws AppError changed_meanwhile; too_many_requests for too many pending changes; bad_input for an unknown time zone, for
 *   shorter retention without the password, and for a new retention longer than the platform's
 * @param parts.wait the milliseconds until the company may have another pending change
 */
export async function writeSettings(
  tx: Tx,
  actor: Member,
  body: RecordSettingsChange,
  ifMatch: IfMatch,
  parts: Parts & { readonly wait: number },
): Promise<RecordSettings> {
  const { companyId: id } = actor;
  const platformDays = parts.config.logDays;
  const { addresses, retentionDays = null, keepNames, timeZone } = body;
  await demandZone(tx, timeZone, 'timeZone');
  /** The settings of a new pending change that reduce the stored data. */
  let lost: Pick<RecordCut, 'retentionDays' | 'keepNames'> | undefined;
  const after = await changeEntity(tx, actor, settingsEntity, { id, ifMatch }, (_row, _found, before) => {
    if (retentionDays !== null && retentionDays > platformDays && retentionDays !== before.retentionDays)
      throw new AppError('bad_input', { fields: { retentionDays: ['more_than', platformDays] } });
    const less = keepsLess(body, { ...before, platformDays });
    const isCut = less.days || less.names;
    const known = before.pending;
    const isNew = isCut && (known?.retentionDays !== retentionDays || known.keepNames !== keepNames);
    if (isNew && body.currentPassword === undefined)
      throw new AppError('bad_input', { fields: { currentPassword: ['required'] } });
    if (isNew && parts.wait > 0) throw tooMany(parts.wait);
    if (isNew) lost = { retentionDays: less.days ? retentionDays : null, keepNames: !less.names };
    return {
      set: {
        record_addresses: addresses,
        record_days: less.days ? before.retentionDays : retentionDays,
        record_names: less.names || keepNames,
        time_zone: timeZone,
      },
      afterUpdate: async () => {
        if (!isCut) await sql`delete from record_cuts where company_id = ${id}`.execute(tx);
        if (isNew)
          await sql`insert into record_cuts (company_id, retention_days, keep_names, user_id, in_force_at)
            values (${id}, ${retentionDays}, ${keepNames}, ${actor.userId}, now() + ${CUT_DELAY})
            on conflict (company_id) do update set retention_days = excluded.retention_days, keep_names = excluded.keep_names,
              user_id = excluded.user_id, in_force_at = excluded.in_force_at`.execute(tx);
      },
    };
  });
  if (lost !== undefined && after.pending !== null) {
    afterCommit(tx, () => Promise.allSettled([parts.throttle.charge('recordsCut', id)]));
    // The mail lists only the settings that reduce the stored data.
    await tellOwners(tx, actor, parts, { ...after.pending, ...lost });
  }
  return { ...after, platformDays };
}

/** Applies the pending changes whose effective time has passed. */
export async function applyCuts(db: Db): Promise<void> {
  const { rows } = await sql<{ id: number }>`
    select company_id as id from record_cuts where in_force_at <= now() order by company_id`.execute(db);
  for (const { id } of rows)
    await db.transaction().execute(async (tx) => {
      await lockCompany(tx, id);
      const { rows: due } = await sql<{ keepNames: boolean }>`
        with cut as (delete from record_cuts where company_id = ${id} and in_force_at <= now() returning *)
        update companies c set record_days = cut.retention_days, record_names = cut.keep_names, version = c.version + 1,
          updated_at = now() from cut where c.id = cut.company_id returning cut.keep_names as "keepNames"`.execute(
        tx,
      );
      if (due[0]?.keepNames === false)
        await sql`delete from record_people where company_id = ${id}`.execute(tx);
    });
}

/** Mails a pending change to the other owners of the actor's company, in the transaction that stores the change. */
async function tellOwners(
  tx: Tx,
  { companyId, userId }: Member,
  { outbox, links }: Parts,
  cut: RecordCut,
): Promise<void> {
  const { rows } = await sql<{ to: string }>`
    select u.email::text as to from users u join companies c on c.id = u.company_id
    where u.company_id = ${companyId} and u.roles @> '{CREATOR}' and u.suspended_at is null and u.id <> ${userId} and c.confirmed
    order by u.id limit ${MOST_OWNERS}`.execute(tx);
  const page = links.page('/dashboard/creator/statistics/storage');
  for (const { to } of rows)
    await queueMail(tx, outbox, { to, code: 'records_cut', facts: [{ ...cut, page }] }, null);
}
