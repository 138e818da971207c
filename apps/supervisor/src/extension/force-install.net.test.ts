import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { asRoot } from '@propusk/test-kit/embedded/scratch';
import { makeCertificate } from '@propusk/test-kit/gateway/certificate';
import { strToU8, zipSync } from 'fflate';
import { expect, onTestFinished, test } from 'vitest';
import { signExtension } from './sign.ts';

/** Runs the command `$@` with the folder `$0` in place of Chromium's policies on this machine. */
const withPolicies = 'mount --bind "$0" /etc/chromium && exec "$@"';
const canMount =
  asRoot &&
  existsSync('/etc/chromium') &&
  spawnSync('unshare', ['--mount', 'sh', '-c', withPolicies, '/tmp', 'true']).status === 0;

test.skipIf(!canMount)(
  `Chromium installs the signed build by policy, and refuses a build with one changed byte${canMount ? '' : ' (skipped: needs root and mounts)'}`,
  async () => {
    const root = mkdtempSync(join(tmpdir(), 'propusk-policy-'));
    onTestFinished(() => rmSync(root, { recursive: true, force: true, maxRetries: 5 }));
    const certificate = await makeCertificate('DNS:pass.example.ru');
    onTestFinished(certificate.remove);
    const folder = join(root, 'signed');
    const server = createServer(certificate, ({ url = '' }, reply) => {
      reply.end(readFileSync(join(folder, basename(new URL(url, 'https://pass.example.ru').pathname))));
    });
    onTestFinished(() => void server.close());
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const origin = `https://pass.example.ru:${(server.address() as AddressInfo).port}`;
    const zip = join(root, 'extension.zip');
    const manifest = { manifest_version: 3, name: 'test', version: '1.0.0' };
    writeFileSync(zip, zipSync({ 'manifest.json': strToU8(JSON.stringify(manifest)) }));
    const { chromiumId } = await signExtension({
      consoleUrl: new URL(origin),
      keyFile: join(root, 'key.pem'),
      zips: { chromium: zip, firefox: zip },
      folder,
    });
    const rule = { installation_mode: 'force_installed', update_url: `${origin}/downloads/updates.xml` };
    const policies = join(root, 'etc/policies/managed');
    mkdirSync(policies, { recursive: true });
    writeFileSync(
      join(policies, 'propusk.json'),
      JSON.stringify({ ExtensionSettings: { [chromiumId]: rule } }),
    );

    /** Starts Chromium on a new profile. Returns its log and the installed versions of the extension. */
    const start = (name: string) => {
      const profile = join(root, name);
      const browser = spawn('unshare', [
        ...[
          '--mount',
          'sh',
          '-c',
          withPolicies,
          join(root, 'etc'),
          process.env.CHROMIUM ?? '/usr/bin/chromium',
        ],
        ...['--headless=new', '--no-sandbox', '--disable-gpu', '--no-first-run', '--enable-logging=stderr'],
        ...['--ignore-certificate-errors', '--host-resolver-rules=MAP pass.example.ru 127.0.0.1'],
        ...[`--user-data-dir=${profile}`, 'about:blank'],
      ]);
      onTestFinished(async () => {
        browser.kill();
        if (browser.exitCode === null && browser.signalCode === null) await once(browser, 'exit');
      });
      let log = '';
      browser.stderr.on('data', (chunk) => {
        log += String(chunk);
      });
      const versions = join(profile, 'Default/Extensions', chromiumId);
      return { log: () => log, installed: () => (existsSync(versions) ? readdirSync(versions) : []) };
    };

    const signed = readFileSync(join(folder, 'propusk.crx'));
    const changed = Buffer.from(signed);
    changed.writeUInt8(signed.readUInt8(signed.length - 1) ^ 1, signed.length - 1);
    writeFileSync(join(folder, 'propusk.crx'), changed);
    const refusing = start('first');
    await expect.poll(refusing.log).toContain('CRX_SIGNATURE_VERIFICATION_FAILED');
    expect(refusing.installed()).toEqual([]);

    writeFileSync(join(folder, 'propusk.crx'), signed);
    const { installed } = start('second');
    await expect.poll(installed).toEqual(['1.0.0_0']);
  },
);
