import { type Config, readConfig } from '@propusk/api/config';
import { type Db, openDb } from '@propusk/api/db/open';
import { sweepFolder } from '@propusk/api/mail/folder';
import { makeAdminLink, makeFirstLinks } from '@propusk/api/registration/first-links';
import { findRunning } from '@propusk/embedded-postgres/find-running';
import { packagedPhrases, supervisorPhrases } from '@propusk/phrases/launcher';
import { setupPhrases } from '@propusk/phrases/setup';
import { StartError } from '@propusk/processes/start-error';
import { runCommand, say } from '../command.ts';

/** The commands that need a running database: `database-command.ts COMMAND [ARGUMENT…]`. */
const commands: Readonly<Record<string, (db: Db, config: Config, ...args: string[]) => Promise<void>>> = {
  /** Prints the address of each site, one a line: their locks outlive the product, and the package names them before its removal. */
  async sites(db) {
    const sites = db.selectFrom('sites').select('shown_address as address').distinct().orderBy('address');
    for (const { address } of await sites.execute()) say(address);
  },

  /** Prints the mails in DATA_DIR/mail whose links at PUBLIC_URL still work. */
  async mail(db, { mailFolder, publicUrl }) {
    const mails = await sweepFolder(db, mailFolder, publicUrl);
    for (const { date, to, subject, link } of mails)
      say(`${date.toISOString()}  ${to}\n${subject}\n${link}\n`);
    if (mails.length === 0) say(packagedPhrases.noLiveMail());
  },

  /** Prints a link for the first ADMIN. Refuses when standard output is not a terminal. */
  async admin(db, { publicUrl }) {
    if (!process.stdout.isTTY) throw new StartError(packagedPhrases.terminalOnly());
    const link = await makeAdminLink(db, publicUrl);
    say(link === null ? packagedPhrases.adminThere() : supervisorPhrases.adminLink(link));
  },

  /** `MAIL OWNER [again]`. Prints nothing when the links were made before. */
  async 'first-links'(db, config, email = '', owner = '', again = '') {
    const links = await makeFirstLinks(db, config, { email, owner, again: again === 'again' });
    if (links !== null) say(setupPhrases.firstLinks({ ...links, email, owner }));
  },
};

await runCommand(async () => {
  const [name = '', ...args] = process.argv.slice(2);
  const config = readConfig(process.env);
  const url = config.databaseUrl ?? (await findRunning(config.dataDir));
  if (url === null) throw new StartError(packagedPhrases.databaseNeeded());
  const { db, close } = openDb(url);
  await commands[name]?.(db, config, ...args);
  await close();
  return 0;
});
