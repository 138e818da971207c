import { sql } from 'kysely';
import { type AuditActor, record } from '../audit/store.ts';
import type { Tx } from '../db/open.ts';

/**
 * Confirms the company of an owner who has redeemed a link from mail, because that proves the mailbox. Does nothing for other
 * users and for a confirmed company. The caller holds the lock of the company.
 */
export async function confirmCompanyOf(tx: Tx, by: AuditActor): Promise<void> {
  const owned = tx
    .selectFrom('users')
    .select('company_id')
    .where('id', '=', by.userId)
    .where('roles', '@>', sql<never>`array['CREATOR']`);
  const company = await tx
    .updateTable('companies')
    .set({ confirmed: true })
    .where('id', 'in', owned)
    .where('confirmed', '=', false)
    .returning(['id', 'company_name'])
    .executeTakeFirst();
  if (company === undefined) return;
  const { id, company_name: name } = company;
  await record(tx, by, { action: 'company_confirmed', kind: 'company', id, name, companyId: id });
}
