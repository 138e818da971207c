import { buildConsole } from './build-console.ts';
import { buildExtension } from './build-extension.ts';
import { explain, say } from './command.ts';

/**
 * `npm run api`: one api process with the console, on the PostgreSQL of DATABASE_URL. Several of them may run on one
 * database.
 */
try {
  await buildConsole(say);
  await buildExtension(say);
} catch (error) {
  process.stderr.write(`${explain(error)}\n`);
  process.exit(1);
}
await import('@propusk/api/main');
