import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildConsole } from '@propusk/supervisor/build-console';
import { buildExtension } from '@propusk/supervisor/build-extension';
import { asRoot } from '@propusk/test-kit/embedded/scratch';
import { expect, test } from 'vitest';
import { commandsOf, notRun } from './documented/commands.ts';
import { architectures } from './package/debian.ts';
import { installModules } from './package/modules.ts';

/**
 * Runs every command of these pages as written, in a temporary root with its own network namespace. image.net.test.ts runs the commands
 * of the container page.
 */
const pages = ['docs/operating/commands.md', 'README.md', 'docs/operating/from-zero.md'];
/** An npm command runs once, before the installed package listens on the same ports. */
const commands = pages
  .flatMap(commandsOf)
  .filter(
    (command, place, all) =>
      notRun[command] === undefined && !(command.startsWith('npm ') && all.indexOf(command) < place),
  );
const script = join(import.meta.dirname, 'package/try-documented.sh');
const isolated = (...args: string[]) =>
  spawnSync('unshare', ['--mount', '--pid', '--net', '--fork', '--kill-child', 'sh', script, ...args], {
    encoding: 'utf8',
    timeout: 240_000,
  });
const canRun = asRoot && existsSync('/usr/bin/dpkg-deb') && isolated('-', '0').status === 0;

test('the table of documented commands that no test runs names only commands of the pages', () => {
  const shown = new Set([...pages, 'docs/operating/container.md'].flatMap(commandsOf));
  expect(Object.keys(notRun).filter((command) => !shown.has(command))).toEqual([]);
});

test.each([
  ['README.ru.md', 'README.md'],
  ['docs/guide-ru/server.md', 'docs/operating/from-zero.md'],
])('%s shows the commands of %s', (translation, page) => {
  expect(commandsOf(translation)).toEqual(commandsOf(page));
});

test.skipIf(!canRun)(
  `every command of README, its page of commands and «A server from zero» ends without an error${canRun ? '' : ' (skipped: needs root and an overlay)'}`,
  async () => {
    // There the network ends at the tree.
    await buildConsole(() => undefined);
    await buildExtension(() => undefined);
    const lock = JSON.parse(readFileSync('package-lock.json', 'utf8')).packages;
    const arch = architectures[process.arch] ?? process.arch;
    await installModules(process.arch, join(process.cwd(), '.cache/package', arch, 'modules'), lock);

    const { stdout, stderr } = isolated('scripts/documented/follow.ts', JSON.stringify(commands));
    const steps = stdout.split(/^== /m).slice(1);
    expect(
      steps.map((step) => step.split('\n')[0]),
      stderr,
    ).toEqual(commands);
    for (const step of steps) expect(step).toMatch(/exit 0\n$/);
    const said = (command: string) => steps.find((step) => step.startsWith(`${command}\n`)) ?? '';
    // The addresses of the page.
    for (const product of ['npm start', 'npm run demo'])
      expect(said(product)).toMatch(/http:\/\/127\.0\.0\.1:3000\n[^]*127\.0\.0\.1:3128/);
    expect(said(commands.find((command) => command.startsWith('curl')) ?? '')).toContain('the site');
    const setups = steps.filter((step) => /^(?:sudo )?propusk setup /.test(step));
    expect(setups[0]).toMatch(
      /login#token=\S+&for=password\s[^]*\/auth\/register#invitation=[^]*\n {2}[A-Z2-7]{32}\s/,
    );
    for (const signed of setups) expect(signed).toMatch(/\n {2}Chromium {5}[a-p]{32} {2}https:/);
    for (const repeated of setups.slice(1)) expect(repeated).not.toContain('invitation=');
    expect(said('propusk doctor')).toMatch(/✓[^]*gw\.propusk\.example\.ru:3128/);
    expect(said('propusk doctor')).not.toContain('✗');
    expect(said('propusk status')).not.toContain('✓');
  },
  300_000,
);
