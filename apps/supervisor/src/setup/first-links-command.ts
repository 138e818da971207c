import { makeFirstLinks } from '@propusk/api/auth/first-links';
import { readConfig } from '@propusk/api/config';
import { openDb } from '@propusk/api/db/open';
import { findRunning } from '@propusk/embedded-postgres/find-running';
import { setupPhrases } from '@propusk/phrases/setup';
import { runCommand, say } from '../command.ts';

/** `first-links MAIL OWNER [again]`, beside the running product. Prints nothing when the links were made before. */
await runCommand(async () => {
  const [email = '', owner = '', again] = process.argv.slice(2);
  const config = readConfig(process.env);
  const url = config.databaseUrl ?? (await findRunning(config.dataDir)) ?? '';
  const { db, close } = openDb(url);
  const links = await makeFirstLinks(db, config, { email, owner, again: again === 'again' });
  await close();
  if (links !== null) say(setupPhrases.firstLinks({ ...links, email, owner }));
  return 0;
});
