import { spawnSync } from 'node:child_process';
import { X509Certificate } from 'node:crypto';
import { existsSync, realpathSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { readCertificate } from '@propusk/certificate/certificate-files';
import { setupPhrases } from '@propusk/phrases/setup';
import { StartError } from '@propusk/processes/start-error';
import type { Part } from './service.ts';

/** Folders that the units hide from the services (ProtectHome, PrivateTmp). */
const hidden = /^\/(home|root|run\/user|tmp|var\/tmp)\//;
/** The users of the package's units. */
const unitUsers: Record<Part, string> = { console: 'propusk', gateway: 'propusk-gateway' };

/**
 * Checks the certificates that the settings name, each as the user of its service.
 * @param names of console and gateway
 * @throws StartError or SettingError for the first fault; the message names the file, and a command where one repairs it
 */
export async function checkCertificates(
  s: Readonly<Record<string, string | undefined>>,
  names: Record<Part, string>,
  users = unitUsers,
): Promise<void> {
  const uses = [
    { user: users.console, name: names.console, files: s.TLS === 'files' ? [s.TLS_CERT, s.TLS_KEY] : [] },
    { user: users.gateway, name: names.gateway, files: [s.GATEWAY_TLS_CERT, s.GATEWAY_TLS_KEY] },
  ].map((use) => ({ ...use, files: use.files.filter((path) => path !== undefined) }));
  const paths = uses.flatMap(({ files }) => files);
  const absent = paths.find((path) => !existsSync(path));
  if (absent !== undefined) throw new StartError(setupPhrases.noFile(absent));
  const { stdout } = spawnSync('systemctl', ['show', '-PPrivateTmp', 'propusk.service']);
  const unseen = String(stdout) === 'yes\n' && paths.find((path) => hidden.test(realpathSync(path)));
  if (unseen) throw new StartError(setupPhrases.hiddenFile(unseen));
  const closed = uses.flatMap(({ user, files }) => closedPaths(user, files));
  const hasAcl = spawnSync('setfacl', ['--version']).status === 0;
  if (closed.length > 0) throw new StartError(setupPhrases.closedFiles(closed, hasAcl));
  for (const { name, files } of uses) await checkContent(name, files);
}

async function checkContent(name: string, [path = '', key = '']: readonly string[]): Promise<void> {
  if (key === '') return;
  const { cert } = await readCertificate({ cert: path, key, settings: ['--cert', '--key'] });
  const leaf = new X509Certificate(cert);
  const [from, to] = [leaf.validFromDate, leaf.validToDate];
  if (from.getTime() > Date.now() || to.getTime() < Date.now())
    throw new StartError(setupPhrases.certificateTime(path, from, to));
  // Browsers read no name from the subject (RFC 9525).
  if (leaf.checkHost(name, { subject: 'never' }) === undefined)
    throw new StartError(setupPhrases.certificateName(path, name, leaf.subjectAltName ?? ''));
}

/** Finds the folders that the user may not enter (x) and the files that the user may not read (r), outermost folders first. */
function closedPaths(user: string, files: readonly string[]) {
  const unread = files.filter((path) => !may(user, '-r', path, '/'));
  const all = unread.flatMap((path) => [path, realpathSync(path)]);
  const folders = [...new Set(all.flatMap(foldersAbove))].filter((folder) => !may(user, '-x', '.', folder));
  // The program test cannot check a file in a folder that the user may not enter, so the mode of the file decides.
  const closed = unread.filter((path) => folders.length === 0 || (statSync(path).mode & 4) === 0);
  const lists = [
    { user, right: 'x', paths: folders },
    { user, right: 'r', paths: closed },
  ];
  return lists.filter(({ paths }) => paths.length > 0);
}

function foldersAbove(path: string): string[] {
  const folder = dirname(path);
  return folder === path ? [] : [...foldersAbove(folder), folder];
}

/** Runs test(1) as the user of a service. The check of a folder runs in it on `.`, which needs no access to its parent folders. */
function may(user: string, right: '-r' | '-x', path: string, cwd: string): boolean {
  const as = ['setpriv', `--reuid=${user}`, `--regid=${user}`, '--init-groups', '--'];
  const isRoot = process.getuid?.() === 0;
  const args = [...(isRoot ? as : []), 'test', right, path];
  return spawnSync('env', args, { cwd }).status === 0;
}
