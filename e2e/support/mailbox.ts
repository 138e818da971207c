import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** A mail as its reader sees it. */
export interface Mail {
  readonly to: string;
  readonly text: string;
}

/** Returns the mails that a product without SMTP_URL wrote into its data folder, oldest first. */
export async function mailsTo(dataDir: string, to: string): Promise<Mail[]> {
  const folder = join(dataDir, 'mail');
  const names = await readdir(folder).catch(() => []);
  const files = names.filter((name) => name.endsWith('.eml')).sort();
  const mails = await Promise.all(
    files.map(async (name) => read(await readFile(join(folder, name), 'utf8'))),
  );
  return mails.filter((mail) => mail.to === to);
}

/**
 * Returns the link in a mail, waiting up to 5 s for the mail.
 * @param place position among the mails to this address, from 1
 */
export async function linkTo(dataDir: string, to: string, place = 1): Promise<string> {
  for (let tries = 100; tries > 0; tries--) {
    const mail = (await mailsTo(dataDir, to))[place - 1];
    const link = mail && /https?:\/\/\S+/.exec(mail.text)?.[0];
    if (link) return link;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`No mail ${place} to ${to}`);
}

function read(raw: string): Mail {
  const to = /^To: (.*)$/m.exec(raw)?.[1] ?? '';
  return { to, text: raw.slice(raw.indexOf('\n\n') + 2) };
}
