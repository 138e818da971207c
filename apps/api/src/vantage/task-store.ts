import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { sql } from 'kysely';
import { AppError } from '../core/errors.ts';
import type { Db, Tx } from '../db/open.ts';
import { ofCompany } from '../db/scope.ts';
import { PRESENT } from './store.ts';
import { readReport, type Sighting, type VantageRequest, writePlan } from './wire.ts';

/** Tasks are stored in the database, because one api process runs the probe and another can receive the calls of the vantage. */

/** A vantage that probes a company's sites. */
export interface SiteVantage {
  readonly id: number;
  readonly name: string;
  /** The source IP address of the last call of the vantage; null before the first call. */
  readonly address: string | null;
  readonly present: boolean;
}

/** How long a probe waits for the reports of a vantage. */
const TASK_MS = 60_000;
const POLL_MS = 300;

/** Reads the paired vantages that probe sites of a company: its own and those of the platform. */
export async function readSiteVantages(db: Db, companyId: number): Promise<SiteVantage[]> {
  const { rows } = await sql<SiteVantage>`
    select id, name, address, coalesce(seen_at > now() - ${PRESENT}, false) as present
    from vantages where (company_id = ${companyId} or company_id is null) and key_sealed is not null
    order by company_id nulls last, id`.execute(db);
  return rows;
}

/**
 * Queues groups of requests for a vantage and waits up to 60 s for the reports.
 * @returns the results by group number and then by step number. Groups without a report in time are missing.
 * @throws the abort reason of the signal `stop`
 */
export async function runTask(
  db: Db,
  vantageId: number,
  groups: readonly (readonly VantageRequest[])[],
  stop: AbortSignal,
): Promise<ReadonlyMap<number, ReadonlyMap<number, Sighting>>> {
  const id = randomUUID();
  // The statement inserts no task if the vantage was deleted.
  const { numAffectedRows: given } = await sql`
    insert into vantage_tasks (id, vantage_id, plan, groups, expires_at)
    select ${id}::uuid, v.id, ${writePlan(groups)}::text, ${groups.length}::int, now() + ${TASK_MS} * interval '1 millisecond'
    from vantages v where v.id = ${vantageId}`.execute(db);
  if (given === 0n) return new Map();
  try {
    for (const end = performance.now() + TASK_MS; ; ) {
      await pause(POLL_MS, null, { signal: stop }).catch(() => stop.throwIfAborted());
      const task = await db
        .selectFrom('vantage_tasks')
        .select('reports')
        .where('id', '=', id)
        .executeTakeFirst();
      const reports = Object.entries(task?.reports ?? {});
      if (task === undefined || reports.length >= groups.length || performance.now() > end)
        return new Map(reports.map(([group, report]) => [Number(group), readReport(report)]));
    }
  } finally {
    await db.deleteFrom('vantage_tasks').where('id', '=', id).execute();
  }
}

/**
 * Takes the next task of a vantage; `task` is null if none waits. Also counts the running and due probes that
 * the vantage will take part in, as `pending`.
 * @param companyId null for a vantage of the platform
 */
export async function takeTask(
  tx: Tx,
  vantageId: number,
  companyId: number | null,
): Promise<{ task: { id: string; plan: string } | null; pending: number }> {
  const { rows } = await sql<{ id: string; plan: string }>`
    update vantage_tasks set taken_at = now() where id = (
      select id from vantage_tasks where vantage_id = ${vantageId} and taken_at is null and expires_at > now()
      order by expires_at for update skip locked limit 1)
    returning id, plan`.execute(tx);
  // The two forms of the condition let PostgreSQL use indexes of site_checks: without a company, two partial indexes; with a
  // company, the primary key, which begins with company_id.
  const due =
    companyId === null
      ? sql`(state <> 'done' or (state = 'done' and next_at <= now()))`
      : sql`${ofCompany(companyId)} and (state <> 'done' or next_at <= now())`;
  const { rows: counted } = await sql<{ pending: number }>`
    select count(*) as pending from site_checks where ${due}`.execute(tx);
  return { task: rows[0] ?? null, pending: counted[0]?.pending ?? 0 };
}

/** Saves the first report of a group of requests. @throws AppError not_found for a second report, or if the probe has ended */
export async function saveReport(
  tx: Tx,
  vantageId: number,
  { task, group, results }: { task: string; group: number; results: string },
): Promise<void> {
  const { numAffectedRows } = await sql`
    update vantage_tasks set reports = reports || jsonb_build_object(${String(group)}::text, ${results}::text)
    where id = ${task} and vantage_id = ${vantageId} and taken_at is not null and expires_at > now()
      and ${group} < groups and not reports ? ${String(group)}`.execute(tx);
  if (numAffectedRows === 0n) throw new AppError('not_found');
}
