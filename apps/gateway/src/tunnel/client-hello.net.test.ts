import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ConnectionOptions, connect } from 'node:tls';
import { requireProgram } from '@propusk/test-kit/gateway/client';
import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import { HELLO_LIMIT, readClientHello } from './client-hello.ts';

/** The ClientHello parser reads what real TLS clients send. */

/** Captures a client's first bytes on a server that never replies. */
async function firstBytes(ask: (port: number) => void): Promise<Buffer> {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const connected = once(server, 'connection');
  ask((server.address() as AddressInfo).port);
  const [socket] = await connected;
  const chunks: Buffer[] = [];
  socket.on('error', () => {});
  socket.on('data', (data: Buffer) => chunks.push(data));
  const started = performance.now();
  while (readClientHello(Buffer.concat(chunks)).kind === 'partial' && performance.now() - started < 5_000) {
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  socket.destroy();
  server.close();
  return Buffer.concat(chunks);
}

const byNode = (options: ConnectionOptions) =>
  firstBytes((port) => void connect({ host: '127.0.0.1', port, ...options }).on('error', () => {}));
const byProgram = (program: string, args: (port: number) => string[]) => {
  requireProgram(program, program.replace(/.*\//, ''));
  return firstBytes((port) => void execFile(program, args(port), { timeout: 30_000 }, () => {}).stdin?.end());
};

let hello: Buffer;
beforeAll(async () => {
  hello = await byNode({ servername: 'crm.company.test' });
});

/** Splits the ClientHello message into TLS records of the given sizes. */
function recut(whole: Buffer, sizes: readonly number[]): Buffer {
  const message = whole.subarray(5);
  const records: Buffer[] = [];
  for (let at = 0, i = 0; at < message.length; i++) {
    const fragment = message.subarray(at, at + (sizes[i % sizes.length] ?? 1));
    records.push(Buffer.from([22, 3, 1, fragment.length >> 8, fragment.length & 255]), fragment);
    at += fragment.length;
  }
  return Buffer.concat(records);
}

describe('ClientHello parser', () => {
  const named = { kind: 'whole', serverName: 'crm.company.test' };
  test.each<[string, () => Promise<Buffer>]>([
    ['node, TLS 1.3', () => byNode({ servername: 'crm.company.test', minVersion: 'TLSv1.3' })],
    ['node, TLS 1.2', () => byNode({ servername: 'crm.company.test', maxVersion: 'TLSv1.2' })],
    ['node with ALPN', () => byNode({ servername: 'crm.company.test', ALPNProtocols: ['h2', 'http/1.1'] })],
    [
      'openssl',
      () =>
        byProgram('/usr/bin/openssl', (port) => [
          's_client',
          ...['-connect', `127.0.0.1:${port}`, '-servername', 'crm.company.test'],
        ]),
    ],
    [
      'curl',
      () =>
        byProgram('/usr/bin/curl', (port) => [
          ...['-sk', '--noproxy', '*', '-m', '4', '--resolve', `crm.company.test:${port}:127.0.0.1`],
          `https://crm.company.test:${port}/`,
        ]),
    ],
    [
      'Chromium',
      () =>
        firstBytes((port) => {
          requireProgram('/usr/bin/chromium', 'chromium');
          const profile = mkdtempSync(join(tmpdir(), 'propusk-chromium-'));
          const rules = `--host-resolver-rules=MAP crm.company.test 127.0.0.1:${port}`;
          const flags = [
            '--headless',
            '--no-sandbox',
            '--disable-gpu',
            '--no-first-run',
            '--disable-background-networking',
          ];
          const args = [
            ...flags,
            `--user-data-dir=${profile}`,
            rules,
            '--dump-dom',
            'https://crm.company.test/',
          ];
          const child = execFile('/usr/bin/chromium', args, () =>
            rmSync(profile, { recursive: true, force: true }),
          );
          setTimeout(() => child.kill('SIGKILL'), 8_000).unref();
        }),
    ],
  ])('reads the server name in the ClientHello of %s', async (_, made) =>
    expect(readClientHello(await made())).toEqual(named),
  );

  test('reads the server name of a ClientHello that is split into TLS records of any sizes', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 900 }), { minLength: 1, maxLength: 9 }), (sizes) => {
        expect(readClientHello(recut(hello, sizes))).toEqual(named);
      }),
    );
  });

  test('reports every incomplete ClientHello as partial', () => {
    for (let length = 0; length < hello.length; length++) {
      expect(readClientHello(hello.subarray(0, length)).kind, String(length)).toBe('partial');
    }
    expect(readClientHello(hello)).toEqual(named);
  });
});

test('ignores TLS early data after the ClientHello', () => {
  const early = Buffer.concat([hello, Buffer.from([20, 3, 3, 0, 1, 1]), Buffer.from([23, 3, 3, 0, 2, 9, 9])]);
  expect(readClientHello(early)).toEqual({ kind: 'whole', serverName: 'crm.company.test' });
});

test('reports the server name null for a ClientHello without one', async () => {
  expect(readClientHello(await byNode({ servername: '' }))).toEqual({ kind: 'whole', serverName: null });
});

/** Replaces bytes of the ClientHello without changing its length. */
function changed(from: string, to: string): Buffer {
  const at = hello.indexOf(from, 'latin1');
  expect(at).toBeGreaterThan(0);
  const copy = Buffer.from(hello);
  copy.write(to, at, 'latin1');
  return copy;
}

/** Builds a minimal ClientHello with these extensions. */
function made(...extensions: [type: number, content: Buffer][]): Buffer {
  const vector = (size: number, bytes: Buffer) => {
    const head = Buffer.alloc(size);
    head.writeUIntBE(bytes.length, 0, size);
    return Buffer.concat([head, bytes]);
  };
  const list = extensions.map(([type, content]) =>
    Buffer.concat([Buffer.from([type >> 8, type & 255]), vector(2, content)]),
  );
  const start = Buffer.concat([Buffer.from([3, 3]), Buffer.alloc(32)]);
  const suites = Buffer.concat([
    vector(1, Buffer.alloc(0)),
    vector(2, Buffer.from([0x13, 1])),
    vector(1, Buffer.from([0])),
  ]);
  const body = Buffer.concat([start, suites, vector(2, Buffer.concat(list))]);
  return recut(Buffer.concat([Buffer.alloc(5), Buffer.from([1]), vector(3, body)]), [16_000]);
}
const sni = (...names: string[]) => {
  const entries = names.map((name) =>
    Buffer.concat([Buffer.from([0, 0, name.length]), Buffer.from(name, 'latin1')]),
  );
  const all = Buffer.concat(entries);
  return Buffer.concat([Buffer.from([all.length >> 8, all.length & 255]), all]);
};

test('reads the server name of a minimal valid ClientHello', () => {
  expect(readClientHello(made([0, sni('a.test')]))).toEqual({ kind: 'whole', serverName: 'a.test' });
});

test.each<[string, () => Buffer]>([
  ['the server_name extension twice', () => made([0, sni('a.test')], [0, sni('b.test')])],
  ['two server names', () => made([0, sni('a.test', 'b.test')])],
  ['an empty name', () => made([0, sni('')])],
  ['an empty name list', () => made([0, Buffer.from([0, 0])])],
  ['bytes after the name list', () => made([0, Buffer.concat([sni('a.test'), Buffer.from([0])])])],
  ['a name of another type', () => made([0, Buffer.from([0, 4, 1, 0, 1, 97])])],
  ['a NUL in the name', () => changed('crm.company.test', 'crm.company\0test')],
  ['a length past the end', () => made([0, Buffer.from([0, 9, 0, 0, 6, 97])])],
  ['an empty record', () => Buffer.concat([Buffer.from([22, 3, 1, 0, 0]), hello])],
  [
    'a record of another type between two fragments',
    () => Buffer.concat([recut(hello, [100]).subarray(0, 105), Buffer.from([20, 3, 3, 0, 1, 1])]),
  ],
  [
    'a handshake message of another type',
    () => Buffer.concat([hello.subarray(0, 5), Buffer.from([2]), hello.subarray(6)]),
  ],
  ['another major version', () => Buffer.concat([Buffer.from([22, 2]), hello.subarray(2)])],
  [
    'a second message in the same record',
    () => recut(Buffer.concat([hello, Buffer.from([1, 0, 0, 0])]), [16_000]),
  ],
  ['more than 16 KiB announced', () => Buffer.from([22, 3, 1, 0x40, 0, 1, 0, 0x7f, 0xff])],
])('reports a malformed ClientHello as broken: %s', (_, bytes) =>
  expect(readClientHello(bytes()).kind).toBe('broken'),
);

test('parses 10,000 damaged ClientHellos without throwing or exceeding the size limit', () => {
  const damage = fc.array(fc.tuple(fc.nat(hello.length - 1), fc.integer({ min: 0, max: 255 })), {
    maxLength: 6,
  });
  fc.assert(
    fc.property(damage, fc.nat(hello.length), (changes, length) => {
      const copy = Buffer.from(hello);
      for (const [at, value] of changes) copy[at] = value;
      expect(['partial', 'whole', 'broken']).toContain(readClientHello(copy.subarray(0, length)).kind);
    }),
    { numRuns: 10_000 },
  );
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 400 }), (bytes) => {
      readClientHello(Buffer.concat([Buffer.from([22, 3, 1]), bytes]));
    }),
    { numRuns: 10_000 },
  );
  const endless = Buffer.concat(Array.from({ length: 3_300 }, () => Buffer.from([22, 3, 1, 0, 1, 1])));
  expect(endless.length).toBeGreaterThan(HELLO_LIMIT);
  expect(readClientHello(endless).kind).toBe('broken');
});
