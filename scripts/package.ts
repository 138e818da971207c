import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { StartError } from '@propusk/embedded-postgres/start-error';
import { packagePhrases } from '@propusk/phrases/launcher';
import { buildConsole } from '@propusk/supervisor/build-console';
import { buildExtension } from '@propusk/supervisor/build-extension';
import { runCommand, say } from '@propusk/supervisor/command';
import { architectures, buildPackage } from './package/debian.ts';
import { installModules } from './package/modules.ts';

const run = promisify(execFile);

/**
 * `npm run package`: builds the Debian package of this machine's architecture into .cache/package.
 * `npm run package -- amd64` and `npm run package -- arm64` name another one: nothing of it is run here.
 */
await runCommand(async () => {
  const wanted = process.argv[2] ?? architectures[process.arch];
  const cpu = Object.keys(architectures).find((name) => architectures[name] === wanted);
  if (cpu === undefined) throw new StartError(packagePhrases.platform(Object.values(architectures)));
  const { version } = JSON.parse(await readFile('package.json', 'utf8')) as { version: string };
  const lock = JSON.parse(await readFile('package-lock.json', 'utf8')).packages;
  const folder = join(process.cwd(), '.cache/package', wanted ?? '');
  const seconds = await sourceTime();
  await buildConsole(say);
  await buildExtension(say);
  say(packagePhrases.installing(architectures[cpu] ?? ''));
  const modules = join(folder, 'modules');
  await installModules(cpu, modules, lock);
  say(packagePhrases.packed(await buildPackage({ version, cpu, lock, modules }, folder, seconds, say)));
  return 0;
});

/**
 * Returns the time for every file of the package: SOURCE_DATE_EPOCH or the time of the last commit, in
 * seconds since 1970.
 */
async function sourceTime(): Promise<number> {
  const given = process.env.SOURCE_DATE_EPOCH;
  const found =
    given ?? (await run('git', ['log', '-1', '--format=%ct']).catch(() => ({ stdout: '' }))).stdout;
  if (!/^\d+\s*$/.test(found)) throw new StartError(packagePhrases.noTime());
  return Number(found);
}
