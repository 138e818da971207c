import { resolve } from 'node:path';
import { BackupRefused } from './backup-refused.ts';

/** The FILE of `npm run <command> -- FILE`, as seen from where npm was called. @throws BackupRefused without one */
export function fileArgument(command: string): string {
  const [name, ...rest] = process.argv.slice(2);
  if (name === undefined || rest.length > 0) {
    throw new BackupRefused(`Укажите файл копии: npm run ${command} -- ФАЙЛ`);
  }
  return resolve(process.env.INIT_CWD ?? '.', name);
}

/** The one line for a database that does not answer or does not let us in; null for any other error. */
export function unreachable(error: unknown): string | null {
  if (!(error instanceof Error) || !('code' in error)) return null;
  const code = String(error.code);
  const away = /^(ECONN|ENOTFOUND|ETIMEDOUT|EAI_AGAIN|08|57P)/.test(code);
  if (away) return `База данных не отвечает (${error.message || code}): проверьте DATABASE_URL`;
  if (/^(28|3D)/.test(code)) return `База данных не пускает (${error.message}): проверьте DATABASE_URL`;
  return null;
}
