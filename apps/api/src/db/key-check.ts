import { databaseFaults } from '@propusk/phrases/api-start';
import type { Encryption } from '../encryption.ts';
import { DatabaseUnfit } from './migrate.ts';
import type { Db } from './open.ts';

/**
 * Binds a database to its SECRET_KEY: the first start stores a check value of the key, and each later start compares it.
 * With another key, the api could not decrypt stored passwords, and would encrypt new passwords with the wrong key.
 * @throws DatabaseUnfit when the stored check value belongs to another key
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
