import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { packagePhrases } from '@propusk/phrases/launcher';
import { StartError } from '@propusk/processes/start-error';
import { buildConsole } from '@propusk/supervisor/build-console';
import { buildExtension } from '@propusk/supervisor/build-extension';
import { runCommand, say } from '@propusk/supervisor/command';
import { architectures, buildPackage } from './package/debian.ts';
import { installModules } from './package/modules.ts';
import { notesOf, refusalsOf, signerOf, writeRelease } from './package/release.ts';

const run = promisify(execFile);

/**
 * `npm run package`: builds the Debian package of this machine's architecture into .cache/package.
 * `npm run package -- amd64` and `npm run package -- arm64` build for the named architecture.
 * `npm run package -- --release`: both, with checksums, notes and a signature, into .cache/release/VERSION.
 */
await runCommand(async () => {
  const isRelease = process.argv.includes('--release');
  const named = process.argv.slice(2).filter((name) => name !== '--release');
  const known = Object.values(architectures);
  const own = isRelease ? known : [architectures[process.arch]];
  const wanted = named.length > 0 ? named : own;
  const cpus = Object.keys(architectures).filter((cpu) => wanted.includes(architectures[cpu]));
  if (cpus.length !== wanted.length) throw new StartError(packagePhrases.platform(known));
  const { version } = JSON.parse(await readFile('package.json', 'utf8')) as { version: string };
  const lock = JSON.parse(await readFile('package-lock.json', 'utf8')).packages;
  const seconds = await sourceTime();
  const changelog = await readFile('CHANGELOG.md', 'utf8');
  const { DEB_SIGN_KEYID: key } = process.env;
  if (isRelease) {
    const status = run('git', ['status', '--porcelain']).catch((error) => ({ stdout: String(error.stderr) }));
    const refusals = refusalsOf((await status).stdout, changelog, version);
    if (refusals.length > 0) throw new StartError(packagePhrases.notReleased(refusals));
  }
  const signer = isRelease && key ? await signerOf(key) : undefined;
  await buildConsole(say);
  await buildExtension(say);
  const packages: string[] = [];
  for (const cpu of cpus) {
    const folder = join(process.cwd(), '.cache/package', architectures[cpu] ?? '');
    say(packagePhrases.installing(architectures[cpu] ?? ''));
    const modules = join(folder, 'modules');
    await installModules(cpu, modules, lock);
    const built = await buildPackage({ version, cpu, lock, modules }, folder, seconds, say);
    say(packagePhrases.packed(built));
    packages.push(built.path);
  }
  if (isRelease) {
    const folder = join(process.cwd(), '.cache/release', version);
    await writeRelease(folder, { packages, lock, notes: notesOf(changelog, version), signer, seconds });
    say(packagePhrases.released(folder, signer?.fingerprint));
  }
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
