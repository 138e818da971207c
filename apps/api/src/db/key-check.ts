import { databaseFaults } from '@propusk/phrases/api-start';
import type { Encryption } from '../encryption.ts';
import { DatabaseUnfit } from './migrate.ts';
import type { Db } from './open.ts';

/**
 * Ties a database to its SECRET_KEY: the first start notes which key it is, a later one with another key refuses, for
 * it could open no stored password and would seal new ones with the wrong key.
 * @throws DatabaseUnfit
 */
export async function checkKey(db: Db, encryption: Encryption): Promise<void> {
  await db
    .insertInto('platform')
    .values({ key_check: encryption.check })
    .onConflict((oc) => oc.doNothing())
    .execute();
  const { key_check } = await db.selectFrom('platform').select('key_check').executeTakeFirstOrThrow();
  if (!key_check.equals(encryption.check)) {
    throw new DatabaseUnfit(databaseFaults.wrongKey());
  }
}
