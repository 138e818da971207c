import { buildConsole } from './build-console.ts';
import { buildExtension } from './build-extension.ts';
import { explain } from './product.ts';

/**
 * `npm run api`: one api process with the console, on the PostgreSQL of DATABASE_URL. For installs where the processes stand
 * apart; any number of them may run on one database.
 */
try {
  const say = (line: string) => process.stdout.write(`${line}\n`);
  await buildConsole(say);
  await buildExtension(say);
} catch (error) {
  process.stderr.write(`${explain(error)}\n`);
  process.exit(1);
}
await import('@propusk/api/main');
