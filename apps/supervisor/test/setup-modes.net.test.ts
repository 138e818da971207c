import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { parseEnv } from 'node:util';
import { Worker } from 'node:worker_threads';
import { setupPhrases } from '@propusk/phrases/setup';
import { freePort, openFolder } from '@propusk/test-kit/daemon';
import { asRoot } from '@propusk/test-kit/embedded/scratch';
import { type Certificate, makeCertificate } from '@propusk/test-kit/gateway/certificate';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { applySettings, faultOf, listenersOf } from '../src/setup/apply.ts';
import { checkCertificates } from '../src/setup/certificate-check.ts';
import { readOptions, type TlsMode } from '../src/setup/options.ts';
import { editSettings } from '../src/setup/settings-edit.ts';
import { wantedSettings } from '../src/setup/wanted.ts';
import type { Fault, Machine } from './machine.ts';

/**
 * Runs `propusk setup` from each mode to each mode, without a mistake and with each possible one. Without a mistake, console and gateway
 * answer with the new settings. With one, setup restores the previous settings and prints one sentence. A worker thread simulates the
 * machine (machine.ts). setup.net.test.ts tests the whole command.
 */
vi.mock('../src/command.ts', async (load) => ({
  ...(await load<typeof import('../src/command.ts')>()),
  say: vi.fn<(line: string) => void>(),
}));
const names = { console: 'pass.test', gateway: 'gw.pass.test' };
/** The certificate checks run as this user instead of the users of the services. */
const user = asRoot ? 'www-data' : userInfo().username;

let folder: string;
let path: string;
let machine: Worker;
let text: string;
let good: Certificate;
let untrusted: Certificate;
let ofOther: Certificate;
const before = { path: process.env.PATH, authorities: getCACertificates('default') };

beforeAll(async () => {
  folder = await openFolder('modes');
  [good, untrusted, ofOther] = await Promise.all([
    makeCertificate('DNS:pass.test', 'DNS:gw.pass.test'),
    makeCertificate('DNS:pass.test', 'DNS:gw.pass.test'),
    makeCertificate('DNS:other.test'),
  ]);
  setDefaultCACertificates([good.cert]);
  setFault({ sound: '', kind: '' });
  path = join(folder, 'propusk.env');
  const port = await freePort();
  machine = new Worker(new URL('./machine.ts', import.meta.url), {
    workerData: { path, port, issued: { cert: good.cert, key: good.key } } satisfies Machine,
  });
  await vi.waitFor(() => fetch(`http://127.0.0.1:${port}/`, { method: 'POST', body: 'daemon-reload' }), {
    timeout: 60_000,
  });
  mkdirSync(join(folder, 'bin'));
  for (const name of ['systemctl', 'journalctl']) {
    const script = `#!/bin/sh\nexec /usr/bin/curl -sf http://127.0.0.1:${port}/ -d "$*"\n`;
    writeFileSync(join(folder, 'bin', name), script, { mode: 0o755 });
  }
  process.env.PATH = `${folder}/bin:${before.path}`;
  process.env.PROPUSK_UNITS = join(folder, 'units');
  const lines = ['PORT', 'HTTPS_PORT', 'HTTP_PORT', 'GATEWAY_PORT'];
  const ports = await Promise.all(lines.map(() => freePort()));
  text = `GATEWAY_PROXY_PROTOCOL=127.0.0.1\n${lines.map((name, at) => `${name}=${ports[at]}\n`).join('')}`;
});
afterAll(async () => {
  await machine.terminate();
  process.env.PATH = before.path;
  delete process.env.PROPUSK_UNITS;
  setDefaultCACertificates(before.authorities);
  await Promise.all([good, untrusted, ofOther].map((each) => each.remove()));
  rmSync(folder, { recursive: true, force: true });
});

/** The folder of the certificate that the second setup names. A path with a space needs quotes in a command. */
const own = () => join(folder, 'a certificate');
/** Writes a certificate that every user may read. */
function place(cert: string, key: string, to = own()): void {
  if (existsSync(to)) chmodSync(to, 0o755);
  rmSync(to, { recursive: true, force: true });
  mkdirSync(to);
  chmodSync(to, 0o755);
  for (const [name, content] of Object.entries({ cert, key }))
    writeFileSync(join(to, `${name}.pem`), content, { mode: 0o644 });
}

interface Mode {
  readonly tls: TlsMode;
  readonly hasFiles: boolean;
}
const modes = {
  auto: { tls: 'auto', hasFiles: false },
  files: { tls: 'files', hasFiles: true },
  off: { tls: 'off', hasFiles: false },
  nginx: { tls: 'off', hasFiles: true },
} as const satisfies Record<string, Mode>;
type Name = keyof typeof modes;

/** Sets up a mode as the command does after its checks of DNS, ports and clock. */
async function setup(mode: Name, at: string, waitMs = 5_000, ...more: string[]): Promise<void> {
  const { tls, hasFiles } = modes[mode];
  const files = ['--cert', join(at, 'cert.pem'), '--key', join(at, 'key.pem')];
  const options = readOptions([
    names.console,
    'a@pass.test',
    '--tls',
    tls,
    ...(hasFiles ? files : []),
    ...more,
  ]);
  const settings = readFileSync(path, 'utf8');
  const env = { ...parseEnv(settings), DATA_DIR: folder };
  const port = (name: string) => Number(env[name as keyof typeof env]);
  const ports = { http: port('HTTP_PORT'), https: port('HTTPS_PORT'), gateway: port('GATEWAY_PORT') };
  const wanted = wantedSettings(options, { tls, gateway: names.gateway, ports }, env);
  await checkCertificates(wanted, names, { console: user, gateway: user });
  const listeners = await listenersOf({ ...env, ...wanted });
  await applySettings({ path, before: settings, after: editSettings(settings, wanted) }, listeners, waitMs);
}

/** The faults of console and gateway with the current settings file; null for none. */
async function faults(): Promise<(string | null)[]> {
  const { console, gateway } = await listenersOf({
    ...parseEnv(readFileSync(path, 'utf8')),
    DATA_DIR: folder,
  });
  return Promise.all([faultOf(console), faultOf(gateway)]);
}
/** The machine reads the file at any time, so it is replaced as a whole. */
function setFault(fault: Fault): void {
  writeFileSync(join(folder, 'fault.new'), JSON.stringify(fault));
  renameSync(join(folder, 'fault.new'), join(folder, 'fault.json'));
}

/** `make` causes the mistake, and returns words that the error of setup must contain. */
type Mistake = [name: string, make: () => string];
const ofService = (kind: string, title: string, words: string): Mistake => [
  title,
  () => {
    const { cert, key } = untrusted;
    setFault({ sound: readFileSync(path, 'utf8'), kind, issued: { cert, key } });
    return words;
  },
];
const mine: Mistake[] = [
  ['a setting is wrong', () => (append('GATEWAY_PROCESSES=none'), 'GATEWAY_PROCESSES')],
  [
    'the file has a value of several lines',
    () => (append('A="\nTLS=x\nGATEWAY_OWN_ADDRESSES=x"'), setupPhrases.notEditable()),
  ],
];
const ofServices: Mistake[] = [
  ofService('failed', 'the service does not start', 'systemctl restart propusk.service'),
  ofService('silent', 'the console does not listen', 'the logged fault'),
  ofService('ill', 'the database does not answer', 'the logged fault'),
  ofService('refused', 'the gateway refuses the settings', 'propusk-gateway.service. В журнале'),
  ofService('gone', 'the gateway does not listen', 'ECONNREFUSED'),
];
const foreign = ofService('foreign', 'another program has the port of the console', '«Пропуск»');
const untrustedFiles: Mistake = [
  'the chain is not trusted',
  () => (place(untrusted.cert, untrusted.key), 'самоподписанный'),
];
const ofFiles: Mistake[] = [
  ['a closed key', () => (chmodSync(`${own()}/key.pem`, 0), `setfacl -m u:${user}:r '${own()}/key.pem'`)],
  ['a closed folder', () => (chmodSync(own(), 0), `setfacl -m u:${user}:x '${own()}'`)],
  ['a key of another certificate', () => (place(good.cert, untrusted.key), 'не от этого сертификата')],
  [
    'an expired certificate',
    () => (vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 3 * 86_400_000 }), 'действует с'),
  ],
  ['a certificate of another name', () => (place(ofOther.cert, ofOther.key), 'other.test')],
  ['an absent certificate', () => (rmSync(`${own()}/cert.pem`), setupPhrases.noFile(`${own()}/cert.pem`))],
  untrustedFiles,
];
const chain = ofService('chain', 'the CA is not trusted', 'самоподписанный');
const notIssued = ofService('not issued', 'the CA issues nothing', 'the logged fault');
const mistakes: Record<Name, Mistake[]> = {
  auto: [...ofServices, chain, notIssued, ...mine.slice(0, 1)],
  files: [...ofFiles, ...ofServices.slice(3, 4)],
  off: [...ofServices, ...mine, foreign],
  nginx: [...ofFiles, ...ofServices.slice(4)],
};
function append(line: string): void {
  writeFileSync(path, `${readFileSync(path, 'utf8')}${line}\n`);
}

/** An option that changes the settings even when the mode stays the same. */
const change = ['--address', '203.0.113.5'];
const all = Object.keys(modes) as Name[];
const pairs = all.flatMap((from) => all.map((to) => ({ from, to })));

describe.each(pairs)('setup from $from to $to', ({ from, to }) => {
  let settings: string;
  beforeAll(async () => {
    place(good.cert, good.key);
    writeFileSync(path, text);
    execFileSync('systemctl', ['stop', 'propusk-gateway.service']);
    const first = join(folder, 'first');
    place(good.cert, good.key, first);
    await setup(from, first);
    settings = readFileSync(path, 'utf8');
  });
  afterEach(() => {
    vi.useRealTimers();
    setFault({ sound: '', kind: '' });
    place(good.cert, good.key);
  });

  test.each(mistakes[to])(
    '%s: setup ends with one sentence about it, and the services use the previous settings',
    async (_, make) => {
      const words = make();
      const given = readFileSync(path, 'utf8');
      const failed = await setup(to, own(), 100, ...change).then(
        () => 'no error',
        (error: Error) => error.message,
      );
      vi.useRealTimers();
      expect(failed).toContain(words);
      expect(failed).not.toContain('\n');
      expect(readFileSync(path, 'utf8')).toBe(given);
      writeFileSync(path, settings);
      expect(await faults()).toEqual([null, null]);
    },
  );

  test('console and gateway answer with the new settings', async () => {
    await setup(to, own(), 5_000, ...change);
    expect(await faults()).toEqual([null, null]);
    expect(readFileSync(path, 'utf8')).toContain(`TLS=${modes[to].tls}\n`);
  });
});
