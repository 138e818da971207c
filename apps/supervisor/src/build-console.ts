import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { StartError } from '@propusk/embedded-postgres/start-error';
import { supervisorPhrases } from '@propusk/phrases/launcher';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const stamp = join(root, 'apps/web/dist/.built-from');

/**
 * Builds the console, unless its sources are unchanged since the last build, or absent: the Debian package
 * holds the built files.
 * @throws StartError with the last 2,000 characters of the build's output
 */
export async function buildConsole(say: (line: string) => void): Promise<void> {
  if (!existsSync(join(root, 'apps/web/src'))) return;
  const sources = await digest(['apps/web', 'packages/contract', 'packages/phrases', 'package-lock.json']);
  const built = await readFile(stamp, 'utf8').catch(() => '');
  if (built === sources) return;
  say(supervisorPhrases.buildingConsole());
  let output = '';
  const build = spawn(
    process.execPath,
    [join(root, 'node_modules/vite/bin/vite.js'), 'build', '--logLevel=warn'],
    {
      cwd: join(root, 'apps/web'),
      stdio: ['ignore', 'pipe', 'pipe'],
      // With another NODE_ENV, as in a test, Vite would bundle React's development build, which is half as
      // large again.
      env: { ...process.env, NODE_ENV: 'production' },
    },
  );
  for (const stream of [build.stdout, build.stderr]) stream.on('data', (text) => (output += text));
  const code = await new Promise((resolve) => build.on('exit', resolve));
  if (code !== 0) throw new StartError(supervisorPhrases.consoleNotBuilt(output.slice(-2000)));
  await writeFile(stamp, sources);
}

/** A SHA-256 of the names and contents of all files below the paths. */
export async function digest(paths: string[]): Promise<string> {
  const hash = createHash('sha256');
  for (const path of paths) {
    for (const file of await filesBelow(join(root, path))) hash.update(file).update(await readFile(file));
  }
  return hash.digest('hex');
}

async function filesBelow(path: string): Promise<string[]> {
  const entries = await readdir(path, { withFileTypes: true, recursive: true }).catch(() => null);
  if (entries === null) return [path];
  return entries
    .filter((entry) => entry.isFile() && !/\/(dist|node_modules)(\/|$)/.test(entry.parentPath))
    .map((entry) => join(entry.parentPath, entry.name))
    .toSorted();
}
