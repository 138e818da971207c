import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { lockSnippets } from '@propusk/access/lock/snippets';
import type { LockKind } from '@propusk/contract/lock';

/** The stored address of the site that the tests lock. */
export const SITE = 'crm.example.test';

/** Every page of the site holds this text, so a response with it proves access. */
export const SECRET = 'secret of the house';

/** The file that a certificate authority may read, and its content. */
export const ACME_FILE = '/.well-known/acme-challenge/Ab3_x-9';
export const ACME_ANSWER = 'Ab3_x-9.thumbprint';

/** Pages of the site by path. */
const pages = [
  'index.html',
  'index.php',
  'admin/index.html',
  'admin/users/deep/list.html',
  'private.txt',
  'info.php',
  'child/index.html',
  '.well-known/acme-challenge/page.html',
  '.well-known/security.txt',
];

/** Writes the site's files. */
export async function writeSite(root: string): Promise<void> {
  for (const page of pages) await put(join(root, page), `${SECRET}: ${page}\n`);
  await put(join(root, ACME_FILE), ACME_ANSWER);
}

/** Writes a file, and the folders above it. */
export async function put(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, text);
}

/**
 * Renders the lock of one kind for the site.
 * @throws Error when there is no such kind
 */
export function lockOf(kind: LockKind, egress: readonly string[], cdn?: readonly string[]): string {
  const all = lockSnippets({ address: SITE, egress, ...(cdn === undefined ? {} : { cdn }) });
  const found = all.find((snippet) => snippet.kind === kind);
  if (found === undefined) throw new Error(`no lock for ${kind}`);
  return found.text;
}
