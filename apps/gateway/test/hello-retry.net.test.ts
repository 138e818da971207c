import { once } from 'node:events';
import { createServer as createSecureServer, type Server as SecureServer } from 'node:https';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { connect as connectTls } from 'node:tls';
import { type Certificate, makeCertificate } from '@propusk/test-kit/gateway/certificate';
import { openTunnel } from '@propusk/test-kit/gateway/client';
import { company, credentials, startWorld, until, type World } from '@propusk/test-kit/gateway/world';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readServerHello } from '../src/tunnel/server-hello.ts';

/** A server may request a second ClientHello. Its server name must be that of the first one. */

const HOST = 'crm.company.test';
const OTHER = 'wik.company.test';
const RANDOM = 'cf21ad74e59a6111be1d8c021e65b891c2a211167abb8c5e079e09e2c8a8339c';
/** A HelloRetryRequest for the group secp384r1. */
const retryRequest = record(22, message(2, `0303${RANDOM}00130100000c002b00020304003300020018`));
const who = credentials(1);

let world: World;
let certificate: Certificate;
/** Requires a group for which clients send no key share. */
let strict: SecureServer;
/** Answers each first hello with a HelloRetryRequest, and records what it receives. */
let recorder: Server;
let heard = Buffer.alloc(0);
const portOf = (server: Server) => (server.address() as AddressInfo).port;

function record(type: number, content: Buffer): Buffer {
  const head = Buffer.from([type, 3, 3, 0, 0]);
  head.writeUInt16BE(content.length, 3);
  return Buffer.concat([head, content]);
}

function message(type: number, hex: string): Buffer {
  const body = Buffer.from(hex, 'hex');
  return Buffer.concat([Buffer.from([type, 0, body.length >> 8, body.length & 255]), body]);
}

/** A ClientHello without key shares. */
function hello(name: string): Buffer {
  const text = Buffer.from(name);
  const number = (value: number) => value.toString(16).padStart(4, '0');
  const entry = `00${number(text.length)}${text.toString('hex')}`;
  const list = `${number(entry.length / 2)}${entry}`;
  const extensions = `0000${number(list.length / 2)}${list}002b0003020304003300020000`;
  const fields = `0303${'11'.repeat(32)}00000213010100${number(extensions.length / 2)}${extensions}`;
  return record(22, message(1, fields));
}

beforeAll(async () => {
  certificate = await makeCertificate(`DNS:${HOST}`);
  strict = createSecureServer({ ...certificate, ecdhCurve: 'P-384', minVersion: 'TLSv1.3' }, (_, res) =>
    res.end('ok'),
  );
  recorder = createServer((socket: Socket) => {
    socket.on('error', () => {});
    socket.once('data', () => socket.write(retryRequest));
    socket.on('data', (bytes) => (heard = Buffer.concat([heard, bytes])));
  });
  for (const server of [strict, recorder]) await once(server.listen(0, '127.0.0.1'), 'listening');
  world = await startWorld(() => [company([`${HOST}:${portOf(strict)}`, `${HOST}:${portOf(recorder)}`])]);
});
afterAll(async () => {
  await world[Symbol.asyncDispose]();
  strict.close();
  recorder.close();
  await certificate.remove();
});

test('a handshake in which the server requests another key share succeeds', async () => {
  const tunnel = await openTunnel(world.port, who, `${HOST}:${portOf(strict)}`);
  const tls = connectTls({
    socket: tunnel.socket,
    servername: HOST,
    ecdhCurve: 'X25519:P-384',
    rejectUnauthorized: false,
  });
  await once(tls, 'secureConnect');
  tls.write(`GET / HTTP/1.1\r\nHost: ${HOST}\r\nConnection: close\r\n\r\n`);
  let page = '';
  for await (const bytes of tls) page += bytes;
  expect(page).toContain('ok');
});

describe('a second hello', () => {
  const before = { nothing: [], 'early data': [23, 23], 'a change of ciphers': [20], 'an alert': [21] };

  test.each(Object.entries(before))(
    'a second hello after %s with the same name is forwarded',
    async (_, types) => {
      const skipped = types.map((type) => record(type, Buffer.from([1, 90])));
      const { tunnel, sent } = await retried(Buffer.concat([...skipped, hello(HOST)]));
      await until(() => heard.equals(sent));
      expect(tunnel.socket.destroyed).toBe(false);
      tunnel.socket.destroy();
    },
  );

  test.each(Object.entries(before))(
    'a second hello after %s with another name ends the tunnel and is not forwarded',
    async (_, types) => {
      const skipped = types.map((type) => record(type, Buffer.from([1, 90])));
      const { tunnel } = await retried(Buffer.concat([...skipped, hello(OTHER)]));
      await tunnel.closed;
      expect(heard.includes(OTHER)).toBe(false);
    },
  );

  test('a second hello that the client sends before the answer of the server is not forwarded', async () => {
    heard = Buffer.alloc(0);
    const tunnel = await openTunnel(
      world.port,
      who,
      `${HOST}:${portOf(recorder)}`,
      Buffer.concat([hello(HOST), hello(OTHER)]).toString('latin1'),
    );
    await tunnel.closed;
    expect(heard).toEqual(hello(HOST));
  });

  test('a second hello that arrives byte by byte is checked as a whole', async () => {
    const parts = hello(OTHER);
    const { tunnel } = await retried(parts.subarray(0, 20));
    for (const byte of parts.subarray(20)) {
      tunnel.socket.write(Buffer.from([byte]));
      await sleep(1);
    }
    await tunnel.closed;
    expect(heard.includes(OTHER)).toBe(false);
  });

  /** Sends a hello, waits for the HelloRetryRequest, and sends bytes. @returns the tunnel and all bytes that were sent */
  async function retried(bytes: Buffer) {
    heard = Buffer.alloc(0);
    const tunnel = await openTunnel(world.port, who, `${HOST}:${portOf(recorder)}`);
    tunnel.socket.write(hello(HOST));
    await until(() => tunnel.got().length > 0);
    tunnel.socket.write(bytes);
    return { tunnel, sent: Buffer.concat([hello(HOST), bytes]) };
  }
});

test.each([
  ['a HelloRetryRequest', retryRequest, 'retry'],
  ['a part of one', retryRequest.subarray(0, 30), 'partial'],
  ['nothing', Buffer.alloc(0), 'partial'],
  ['a ServerHello', record(22, message(2, `0303${'00'.repeat(32)}00130100`)), 'other'],
  ['an alert', record(21, Buffer.from([2, 40])), 'other'],
  ['another message', record(22, message(0, '')), 'other'],
  ['a record that ends before the random', record(22, message(2, '0303').subarray(0, 6)), 'broken'],
])('the first bytes of a server are recognized: %s', (_, bytes, expected) => {
  expect(readServerHello(bytes)).toBe(expected);
});
