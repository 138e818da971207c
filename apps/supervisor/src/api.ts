import { buildConsole } from './build-console.ts';
import { buildExtension } from './build-extension.ts';
import { runCommand, say } from './command.ts';

/**
 * `npm run api`: one api process with the console, on the PostgreSQL of DATABASE_URL. Several of them may run on one
 * database.
 */
await runCommand(async () => {
  await buildConsole(say);
  await buildExtension(say);
});
await import('@propusk/api/main');
