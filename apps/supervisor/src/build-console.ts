import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { supervisorPhrases } from '@propusk/phrases/launcher';
import { StartError } from '@propusk/processes/start-error';

const root = fileURLToPath(new URL('../../..', import.meta.url));

/** Builds the console into apps/web/dist. @throws StartError */
export function buildConsole(say: (line: string) => void): Promise<void> {
  return buildOnce('apps/web', {
    sources: ['packages/contract', 'packages/phrases'],
    command: ['node_modules/vite/bin/vite.js', 'build', '--logLevel=warn'],
    onStart: () => say(supervisorPhrases.buildingConsole()),
    refusal: supervisorPhrases.consoleNotBuilt,
  });
}

/**
 * Builds an app, unless its sources are unchanged since the last build, or absent: the Debian package holds the built files.
 * @param sources the folders that it needs besides its own @param command a script below the root, and its arguments
 * @throws StartError with the last 2,000 characters of the build's output
 */
export async function buildOnce(
  app: string,
  {
    sources,
    command: [script = '', ...args],
    onStart,
    refusal,
  }: { sources: string[]; command: string[]; onStart: () => void; refusal: (output: string) => string },
): Promise<void> {
  const folder = join(root, app);
  const stamp = join(folder, 'dist/.built-from');
  if (!existsSync(join(folder, 'src'))) return;
  const current = await digest([app, ...sources, 'package-lock.json']);
  if ((await readFile(stamp, 'utf8').catch(() => '')) === current) return;
  onStart();
  // With another NODE_ENV, as in a test, Vite would bundle React's development build, which is half as large again.
  const options = { cwd: folder, env: { ...process.env, NODE_ENV: 'production' } };
  await new Promise<void>((resolve, reject) => {
    execFile(process.execPath, [join(root, script), ...args], options, (error, stdout, stderr) =>
      error === null ? resolve() : reject(new StartError(refusal((stdout + stderr).slice(-2000)))),
    );
  });
  await writeFile(stamp, current);
}

/** A SHA-256 of the names and contents of all files below the paths. */
async function digest(paths: string[]): Promise<string> {
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
