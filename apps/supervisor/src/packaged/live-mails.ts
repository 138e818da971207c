import { readConfig } from '@propusk/api/config';
import { openDb } from '@propusk/api/db/open';
import { sweepFolder } from '@propusk/api/mail/folder';
import { findRunning } from '@propusk/embedded-postgres/find-running';
import { packagedPhrases } from '@propusk/phrases/launcher';
import { runCommand, say } from '../command.ts';

/** `propusk mail`: prints the mails in DATA_DIR/mail whose links still work. Only a running database knows which do. */
await runCommand(async () => {
  const { dataDir, databaseUrl, mailFolder } = readConfig(process.env);
  const url = databaseUrl ?? (await findRunning(dataDir));
  if (url === null) {
    process.stderr.write(`${packagedPhrases.mailNeedsDatabase()}\n`);
    return 1;
  }
  const opened = openDb(url);
  const mails = await sweepFolder(opened.db, mailFolder);
  await opened.close();
  for (const { date, to, subject, link } of mails) say(`${date.toISOString()}  ${to}\n${subject}\n${link}\n`);
  if (mails.length === 0) say(packagedPhrases.noLiveMail());
  return 0;
});
