import { once } from 'node:events';
import { connect } from 'node:net';
import { company, startWorld, until } from '@propusk/test-kit/gateway/world';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { RefusalLog } from './refusal-log.ts';

/** What refused requests write to the gateway's log. */

const REFUSALS = 2_000;

test('2,000 refusals of 30 KB on one connection log less than 100 KB, and a line with the number of unlogged refusals', async () => {
  const lines: string[] = [];
  const log = pino({ level: 'info' }, { write: (line: string) => void lines.push(line) });
  const world = await startWorld((port) => [company([`crm.company.test:${port}`])], {}, log);
  const socket = connect({ port: world.port, host: '127.0.0.1' });
  await once(socket, 'connect');
  let got = '';
  let refused = 0;
  socket.setEncoding('latin1').on('data', (data: string) => {
    // A status line may be split between two chunks.
    const parts = `${got}${data}`.split('HTTP/1.1 407');
    refused += parts.length - 1;
    got = (parts.at(-1) ?? '').slice(1 - 'HTTP/1.1 407'.length);
  });
  const head = `GET http://${'a'.repeat(30_000)}.test/ HTTP/1.1\r\nHost: a.test\r\n\r\n`;
  for (let sent = 0; sent < REFUSALS; sent++) if (!socket.write(head)) await once(socket, 'drain');
  await until(() => refused === REFUSALS);
  const other = connect({ port: world.port, host: '127.0.0.1', localAddress: '127.0.0.2' });
  other.end('GET http://b.test/ HTTP/1.1\r\nHost: b.test\r\nConnection: close\r\n\r\n').resume();
  await once(other, 'close');
  socket.destroy();
  await world[Symbol.asyncDispose]();

  expect(lines.join('').length).toBeLessThan(100_000);
  const said = lines.map((line) => JSON.parse(line));
  expect(said.filter(({ target }) => target === 'b.test')).toHaveLength(1);
  expect(said.filter(({ target }) => target === 'a'.repeat(260))).toHaveLength(60);
  expect(said).toContainEqual(expect.objectContaining({ of: '127.0.0.1/32', unlogged: REFUSALS - 60 }));
});

test('refused requests without credentials from 2,000 networks write at most 600 lines a minute, and those of users are logged too', () => {
  const lines: string[] = [];
  const log = new RefusalLog(pino({ level: 'info' }, { write: (line: string) => void lines.push(line) }));
  const stop = log.start();
  for (let n = 0; n < 10_000; n++)
    log.add('no_credentials', undefined, 'a.test', `2001:db8:0:${(n % 2_000).toString(16)}::1`);
  for (let user = 0; user < 50; user++) log.add('no_policy', String(user), 'b.test', '192.0.2.1');
  stop();
  const said = lines.map((line) => JSON.parse(line));
  expect(said.filter(({ target }) => target === 'a.test')).toHaveLength(600);
  expect(said.filter(({ target }) => target === 'b.test')).toHaveLength(50);
  expect(lines.length).toBeLessThan(720);
});
