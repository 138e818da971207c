import { ofProcess } from '@propusk/api/identity/passwords';
import { login } from '@propusk/contract/auth';
import { PASSWORD, type TestApi, testPasswords } from './api.ts';

/** Signs in a platform admin outside every company, and creates the account unless it exists. @returns the token */
export async function createAdmin(api: TestApi, email = 'admin@platform.test'): Promise<string> {
  const password_hash = await testPasswords.hash(PASSWORD, ofProcess);
  await api.database.db
    .insertInto('users')
    .values({ company_id: null, email, name: 'Администратор', surname: '', password_hash, roles: ['ADMIN'] })
    .onConflict((oc) => oc.column('email').doNothing())
    .execute();
  return (await api.must(null, login, { body: { email, password: PASSWORD } })).token;
}
