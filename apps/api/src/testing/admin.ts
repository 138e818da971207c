import { login } from '@propusk/contract/auth';
import { ensureAdmin } from '../auth/store.ts';
import { hashPassword } from '../passwords.ts';
import { PASSWORD, type TestApi } from './api.ts';

/** A platform admin outside every company, signed in. */
export async function createAdmin(api: TestApi, email = 'admin@platform.test'): Promise<string> {
  await ensureAdmin(api.database.db, email, () => hashPassword(PASSWORD));
  return (await api.must(null, login, { body: { email, password: PASSWORD } })).token;
}
