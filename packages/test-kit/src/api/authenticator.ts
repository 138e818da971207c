import { confirmSecondFactor, startSecondFactor } from '@propusk/contract/second-factor';
import { PASSWORD, type TestApi } from './api.ts';
import { appCode } from './app-code.ts';

/** Enables the second factor of a signed-in user; the current code stays unused. */
export async function enrol(
  api: TestApi,
  token: string,
  currentPassword = PASSWORD,
): Promise<{ secret: string; codes: string[] }> {
  const { secret } = await api.must(token, startSecondFactor, { body: { currentPassword } });
  const { codes } = await api.must(token, confirmSecondFactor, { body: { code: appCode(secret, -1) } });
  return { secret, codes };
}
