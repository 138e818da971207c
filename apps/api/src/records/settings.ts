import type { RecordSettings, RecordSettingsInput } from '@propusk/contract/record-settings';
import { sql } from 'kysely';
import { type AuditFields, record } from '../audit/store.ts';
import type { Member } from '../core/actor.ts';
import { AppError } from '../core/errors.ts';
import { expectVersion, type IfMatch } from '../core/versions.ts';
import { lockCompany } from '../db/company.ts';
import type { Db, Tx } from '../db/open.ts';

/** The settings of a company's records. @param platformDays how long the platform keeps records */
export async function readSettings(db: Db, companyId: number, platformDays: number): Promise<RecordSettings> {
  const row = await db
    .selectFrom('companies')
    .select([
      'record_addresses as addresses',
      'record_days as retentionDays',
      'record_names as keepNames',
      'time_zone as timeZone',
      'version',
      'created_at as createdAt',
      'updated_at as updatedAt',
    ])
    .where('id', '=', companyId)
    .executeTakeFirstOrThrow(() => new AppError('not_found'));
  return { ...row, platformDays };
}

/**
 * Replaces the settings. Gateways learn of them with the next snapshot.
 * @throws AppError changed_meanwhile; bad_input for more days than the platform's, and for an unknown time zone
 */
export async function writeSettings(
  tx: Tx,
  actor: Member,
  body: RecordSettingsInput,
  ifMatch: IfMatch,
  platformDays: number,
): Promise<RecordSettings> {
  const { companyId: id } = actor;
  const { addresses, retentionDays = null, keepNames, timeZone } = body;
  if (retentionDays !== null && retentionDays > platformDays)
    throw new AppError('bad_input', { fields: { retentionDays: ['more_than', platformDays] } });
  await demandZone(tx, timeZone);
  await lockCompany(tx, id);
  const before = await readSettings(tx, id, platformDays);
  expectVersion(ifMatch, before.version);
  const { company_name: name } = await tx
    .updateTable('companies')
    .set((eb) => ({
      record_addresses: addresses,
      record_days: retentionDays,
      record_names: keepNames,
      time_zone: timeZone,
      version: eb('version', '+', 1),
      updated_at: eb.fn<string>('now'),
    }))
    .where('id', '=', id)
    .returning('company_name')
    .executeTakeFirstOrThrow();
  if (!keepNames) await sql`delete from record_people where company_id = ${id}`.execute(tx);
  const after = await readSettings(tx, id, platformDays);
  const event = { action: 'changed', kind: 'company', id, name, companyId: id } as const;
  await record(tx, actor, { ...event, before: auditFields(before), after: auditFields(after) });
  return after;
}

const auditFields = ({ addresses, retentionDays, keepNames, timeZone }: RecordSettings): AuditFields => ({
  addresses,
  retentionDays: retentionDays === null ? '' : String(retentionDays),
  keepNames,
  timeZone,
});

/** Refuses a zone that PostgreSQL, which makes the statistics, or JavaScript, which shows them, does not know. */
async function demandZone(tx: Tx, zone: string): Promise<void> {
  const { rows } = await sql`select from pg_timezone_names where name = ${zone}`.execute(tx);
  if (rows.length === 0 || !isZone(zone))
    throw new AppError('bad_input', { fields: { timeZone: ['unfit'] } });
}

function isZone(timeZone: string): boolean {
  try {
    return Intl.DateTimeFormat('en', { timeZone }) !== null;
  } catch {
    return false;
  }
}
