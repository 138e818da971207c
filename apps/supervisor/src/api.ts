import { buildExtension } from './extension-build.ts';
import { explain } from './product.ts';
import { buildConsole } from './web-build.ts';

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
