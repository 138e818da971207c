import { randomBytes } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { sql } from 'kysely';
import { hashToken } from '../core/tokens.ts';
import type { Db } from '../db/open.ts';
import { type Mail, tokenOf } from './compose-mail.ts';

/** A mail file is deleted after this time. No link in a mail is valid for longer. */
const KEPT_MS = 7 * 86_400_000;

interface FolderMail {
  readonly file: string;
  readonly date: Date;
  readonly to: string;
  readonly subject: string;
  /** The mail's single-use link. `link` and `token` are empty if the mail has no such link. */
  readonly link: string;
  readonly token: string;
}

/**
 * Writes a mail as an `.eml` file of plain text (RFC 6532). The file has mode 0600, because the link in the mail gives access to
 * an account.
 * @returns the file's path
 * @throws Error of node:fs; a failed write leaves no partial file
 */
export async function writeToFolder(folder: string, mail: Mail & { from: string }): Promise<string> {
  const now = new Date();
  const headers = {
    From: mail.from,
    To: mail.to,
    Date: now.toUTCString(),
    Subject: mail.subject,
    'MIME-Version': '1.0',
    'Content-Type': 'text/plain; charset=utf-8',
    'Content-Transfer-Encoding': '8bit',
    ...(mail.link !== null && { 'X-Link': mail.link }),
  };
  // Prevents header injection by line breaks, for example in a company name.
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value.replace(/\s+/g, ' ')}`);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  // File names sort by time; the random part prevents collisions.
  const name = `${now.toISOString().replace(/[:.]/g, '-')}-${randomBytes(4).toString('hex')}`;
  const [part, file] = [join(folder, `.${name}.part`), join(folder, `${name}.eml`)];
  try {
    await writeFile(part, `${lines.join('\n')}\n\n${mail.text}`, { mode: 0o600, flag: 'wx' });
    await rename(part, file);
  } catch (error) {
    await rm(part, { force: true });
    throw error;
  }
  return file;
}

/**
 * Deletes mail files older than 7 days, and files whose link was used, has expired or was replaced.
 * @param publicUrl if given, the function deletes no file and returns only the mails with links to this origin
 * @returns the mails whose links still work, oldest first
 * @throws Error of the database, before any file is deleted; Error of node:fs
 */
export async function sweepFolder(db: Db, folder: string, publicUrl?: URL): Promise<FolderMail[]> {
  const mails = await readFolder(folder, publicUrl);
  if (mails.length === 0) return [];
  const hashes = mails.map(({ token }) => hashToken(token));
  const { rows } = await sql<{ token_hash: Buffer }>`
    select token_hash from mail_links where token_hash = any(${hashes}::bytea[]) and expires_at > now()
    union all select token_hash from company_invitations
      where token_hash = any(${hashes}::bytea[]) and expires_at > now() and state = 'waiting'`.execute(db);
  const live = new Set(rows.map(({ token_hash }) => token_hash.toString('hex')));
  const works = ({ token }: FolderMail) => live.has(hashToken(token).toString('hex'));
  for (const mail of publicUrl === undefined ? mails : []) {
    const isDead = mail.token !== '' && !works(mail);
    if (isDead || mail.date.getTime() < Date.now() - KEPT_MS) await rm(mail.file, { force: true });
  }
  return mails.filter(
    (mail) => works(mail) && (publicUrl === undefined || new URL(mail.link).origin === publicUrl.origin),
  );
}

/** Reads the mail files. A mail of release 0.2 has no X-Link header. Its link is the last line that is a URL at `publicUrl`. */
async function readFolder(folder: string, publicUrl?: URL): Promise<FolderMail[]> {
  const names = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return [];
    throw error;
  });
  const mails: FolderMail[] = [];
  for (const name of names.filter((one) => one.endsWith('.eml')).sort()) {
    const file = join(folder, name);
    // Another api process may have deleted the file.
    const text = await readFile(file, 'utf8').catch(() => null);
    if (text === null) continue;
    const [head = ''] = text.split('\n\n', 1);
    const header = (of: string) => new RegExp(`^${of}: (.*)$`, 'm').exec(head)?.[1] ?? '';
    const own = header('X-Link');
    const isHere = (line: string) => tokenOf(line) !== '' && line.startsWith(`${publicUrl?.origin}/`);
    const link = own || (text.match(/^http\S+$/gm)?.findLast(isHere) ?? '');
    mails.push({
      file,
      date: new Date(header('Date')),
      to: header('To'),
      subject: header('Subject'),
      link,
      token: tokenOf(link),
    });
  }
  return mails;
}
