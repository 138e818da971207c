import { limits } from '@propusk/contract/limits';
import { sql } from 'kysely';
import { AppError } from '../http/errors.ts';
import type { Tx } from './open.ts';

/**
 * Makes the writes of one company wait for each other, so that counts and links cannot change between a check and
 * the write after it, and locks are taken in one order. The first statement of every such write.
 */
export async function lockCompany(tx: Tx, companyId: number): Promise<void> {
  await tx
    .selectFrom('companies')
    .select('id')
    .where('id', '=', companyId)
    .forNoKeyUpdate()
    .executeTakeFirstOrThrow(() => new AppError('not_found'));
}

/**
 * @param companyId null: the platform, for its own proxies
 * @throws AppError too_many_objects when the company holds as many rows of the kind as it may
 */
export async function makeRoom(
  tx: Tx,
  kind: 'users' | 'sites' | 'proxies' | 'policies',
  companyId: number | null,
): Promise<void> {
  const { held } = await tx
    .selectFrom(kind)
    .select((eb) => eb.fn.countAll<number>().as('held'))
    .where('company_id', companyId === null ? 'is' : '=', companyId)
    .executeTakeFirstOrThrow();
  if (held >= limits.objectsPerCompany) throw new AppError('too_many_objects');
}

/**
 * Replaces the rows that link one entity to policies or users of its own company.
 * @throws AppError bad_input naming `field` when an id is absent or another company's
 */
export async function replaceLinks(
  tx: Tx,
  link: {
    table: 'policy_users' | 'policy_sites';
    companyId: number;
    /** The side that stays, and its id. */
    own: 'policy_id' | 'user_id' | 'site_id';
    ownId: number;
    /** The side that is replaced. */
    other: 'policy_id' | 'user_id' | 'site_id';
    otherTable: 'policies' | 'users' | 'sites';
    ids: readonly number[];
    field: string;
  },
): Promise<void> {
  const { companyId, ownId } = link;
  const [table, own, other, otherTable] = [link.table, link.own, link.other, link.otherTable].map(sql.ref);
  // What stays is left alone: no row is written, and no version bumped, for a link that did not change.
  // A policy and a person list each other: a form that was opened on the other side before is stale now. A policy does not
  // list its sites.
  const listed = link.table === 'policy_users';
  await sql`with gone as (
      delete from ${table} where company_id = ${companyId} and ${own} = ${ownId} and ${other} <> all (${link.ids})
      returning ${other} as id
    ), come as (
      insert into ${table} (company_id, ${own}, ${other})
      select company_id, ${ownId}, id from ${otherTable} where company_id = ${companyId} and id = any (${link.ids})
      on conflict do nothing returning ${other} as id
    )
    update ${otherTable} set version = version + 1
    where ${listed} and company_id = ${companyId} and id in (select id from gone union all select id from come)`.execute(
    tx,
  );
  const { rows } = await sql<{ linked: number }>`select count(*) as linked from ${table}
    where company_id = ${companyId} and ${own} = ${ownId}`.execute(tx);
  if (rows[0]?.linked !== link.ids.length) {
    throw new AppError('bad_input', {
      fields: { [link.field]: 'В списке есть то, чего уже нет. Обновите страницу' },
    });
  }
}
