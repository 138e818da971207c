import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import { Duplex } from 'node:stream';
import { stopwatch } from '@propusk/test-kit/stopwatch';
import { expect, test } from 'vitest';
import { readConnectHead } from './connect-head.ts';

const HOST = 'crm.company.test:443';
const plain = `CONNECT ${HOST} HTTP/1.1\r\nHost: ${HOST}\r\nProxy-Authorization: Basic dTE6eA==\r\n\r\n`;
const read = (text: string) => readConnectHead(Buffer.from(text, 'latin1'));

test('readConnectHead() parses a plain CONNECT head and returns its length', () => {
  expect(read(`${plain}\x16\x03\x01`)).toEqual({
    authority: HOST,
    credentials: 'Basic dTE6eA==',
    length: plain.length,
  });
  expect(read(`CONNECT ${HOST} HTTP/1.1\r\n\r\n`)).toMatchObject({ credentials: undefined });
});

test.each([
  ['nothing', ''],
  ['an incomplete head', plain.slice(0, -2)],
  ['another method', plain.replace('CONNECT', 'GET')],
  ['a lower-case method', plain.replace('CONNECT', 'connect')],
  ['a mixed-case method', plain.replace('CONNECT', 'Connect')],
  ['a lower-case version', plain.replace('HTTP', 'http')],
  ['HTTP/1.0', plain.replace('HTTP/1.1', 'HTTP/1.0')],
  ['two spaces', plain.replace('CONNECT ', 'CONNECT  ')],
  ['a path', plain.replace(HOST, `${HOST}/x`)],
  ['user info before the host', plain.replace(HOST, `a@${HOST}`)],
  ['an IPv6 address', plain.replace(HOST, '[::1]:443')],
  ['bare line feeds', plain.replaceAll('\r\n', '\n')],
  ['one bare line feed', plain.replace('\r\nHost', '\nHost')],
  ['a bare carriage return', plain.replace('Basic ', 'Basic \r')],
  ['a folded line', plain.replace('Basic ', '\r\n Basic ')],
  ['space before a colon', plain.replace('Host:', 'Host :')],
  ['a line without a colon', plain.replace('Host:', 'Host')],
  ['a zero byte', plain.replace('Basic ', 'Basic \0')],
  ['a byte outside ASCII', plain.replace('Basic ', 'Basic \xe9')],
  ['two credentials', plain.replace('\r\n\r\n', '\r\nProxy-Authorization: Basic eDp5\r\n\r\n')],
  [
    'two credentials with a header between',
    plain.replace('\r\nHost', '\r\nproxy-authorization: Basic eDp5\r\nHost'),
  ],
  ['Content-Length', plain.replace('\r\n\r\n', '\r\nContent-Length: 3\r\n\r\n')],
  ['Transfer-Encoding', plain.replace('\r\n\r\n', '\r\nTransfer-Encoding: chunked\r\n\r\n')],
  ['Expect', plain.replace('\r\n\r\n', '\r\nExpect: 100-continue\r\n\r\n')],
  ['Upgrade', plain.replace('\r\n\r\n', '\r\nUpgrade: websocket\r\n\r\n')],
  ['40 header lines', plain.replace('\r\n\r\n', `${'\r\nA: b'.repeat(40)}\r\n\r\n`)],
  ['a header of 9,000 bytes', plain.replace('Basic ', `Basic ${'x'.repeat(9_000)}`)],
])("readConnectHead() returns null, so that Node's parser reads the bytes, for %s", (_, text) => {
  expect(read(text)).toBeNull();
});

test.each([
  ['spaces in credentials', `Proxy-Authorization: x${' '.repeat(8_000)}y`],
  ['tabs after credentials', `Proxy-Authorization: x${'\t'.repeat(8_000)}`],
  ['colons', `A${':'.repeat(8_000)}`],
  ['a long header name', `${'a'.repeat(8_000)}:`],
  ['many short lines', 'a:b\r\n'.repeat(1_500).slice(0, -2)],
])('readConnectHead() takes less than 200 ms for %s', (_, line) => {
  const bytes = Buffer.from(`CONNECT ${HOST} HTTP/1.1\r\n${line}\r\n\r\n`, 'latin1');
  const elapsed = stopwatch();
  for (let i = 0; i < 20; i++) readConnectHead(bytes);
  // A regular expression that backtracks took 100 ms for one of these heads.
  expect(elapsed()).toBeLessThan(200);
});

/** Node's own result for the same bytes; null when Node sees no CONNECT request. */
async function nodes(bytes: Buffer) {
  const server = createServer();
  const client = new Duplex({ read() {}, write: (_chunk, _encoding, done) => done() });
  const seen = Promise.race([
    once(server, 'connect').then((event) => {
      const [req, , head] = event as [IncomingMessage, Duplex, Buffer];
      return {
        authority: req.url,
        credentials: req.headers['proxy-authorization'],
        length: bytes.length - head.length,
      };
    }),
    once(server, 'clientError').then(() => null),
    once(server, 'request').then(() => null),
  ]);
  server.emit('connection', client);
  client.push(bytes);
  const result = await seen;
  client.destroy();
  return result;
}

test("readConnectHead() agrees with Node's parser on every head that it accepts", async () => {
  const pieces = [
    '\r\n',
    '\n',
    ':',
    ' ',
    '\t',
    'a',
    'Z',
    '0',
    '-',
    '\0',
    '\x7f',
    '\xe9',
    '%',
    ',',
    'CONNECT',
  ];
  const lines = ['X-A: b', 'x-a:', 'Accept:\t*/*', 'Proxy-Authorization: ', 'proxy-authorization:Basic eg=='];
  let state = 20_261_122;
  const random = (most: number) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return Math.floor((state / 2 ** 32) * most);
  };
  let alike = 0;
  for (let i = 0; i < 3_000; i++) {
    let text = random(3) === 0 ? plain.replace(/Proxy-Auth.*\r\n/, '') : plain;
    for (let more = random(3); more > 0; more--) {
      text = text.replace('\r\n', `\r\n${lines[random(lines.length)]}\r\n`);
    }
    for (let more = random(3); more > 0; more--) {
      const at = random(text.length);
      text = text.slice(0, at) + pieces[random(pieces.length)] + text.slice(at + random(3));
    }
    const bytes = Buffer.from(`${text}${'\x16\x03\x01'.slice(random(4))}`, 'latin1');
    const ours = readConnectHead(bytes);
    if (ours === null) continue;
    alike += 1;
    expect(await nodes(bytes), JSON.stringify(text)).toEqual(ours);
  }
  expect(alike).toBeGreaterThan(1_000);
});
