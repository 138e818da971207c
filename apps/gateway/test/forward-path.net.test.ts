import { connect } from 'node:net';
import { raw } from '@propusk/test-kit/gateway/client';
import { type ForwardCase, forwardCases } from '@propusk/test-kit/gateway/forward-cases';
import { type ScriptedOrigin, startScriptedOrigin } from '@propusk/test-kit/gateway/scripted-origin';
import { authorization, company, credentials, startWorld, type World } from '@propusk/test-kit/gateway/world';
import { afterAll, beforeAll, expect, test } from 'vitest';

/** The path of a request in absolute form and of its response, case by case (RFC 9110, RFC 9112). */

let origin: ScriptedOrigin;
let world: World;
let site: string;
beforeAll(async () => {
  origin = await startScriptedOrigin();
  site = `crm.company.test:${origin.port}`;
  world = await startWorld(() => [company([site])]);
});
afterAll(async () => {
  await world[Symbol.asyncDispose]();
  await origin[Symbol.asyncDispose]();
});

const me = credentials(1);
const OK = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok';

/** Sends the request of a case, and collects the response until it pauses for 150 ms or the connection ends. */
async function sent({ head, body = '', hostless = false }: ForwardCase): Promise<string> {
  const [line = '', ...fields] = head.replaceAll('{site}', site).split('\r\n');
  const added = `${hostless ? '' : `Host: ${site}\r\n`}${authorization(me)}`;
  const rest = fields.map((field) => `${field}\r\n`).join('');
  const socket = connect({ port: world.port, host: '127.0.0.1' });
  socket.on('error', () => {});
  socket.write(`${line}\r\n${added}${rest}\r\n${body}`, 'latin1');
  let got = '';
  await new Promise<void>((resolve) => {
    let quiet: NodeJS.Timeout | undefined;
    socket.setEncoding('latin1').on('data', (text: string) => {
      got += text;
      clearTimeout(quiet);
      quiet = setTimeout(resolve, 150);
    });
    socket.once('close', () => resolve());
  });
  socket.destroy();
  return got;
}

test('the table has at least 120 cases with different names', () => {
  expect(new Set(forwardCases.map(({ name }) => name)).size).toBe(forwardCases.length);
  expect(forwardCases.length).toBeGreaterThanOrEqual(120);
});

test('unfinished heads of one subscriber hold at most 1 MiB, and another subscriber sends a large head meanwhile', async () => {
  const head = `GET http://${site}/ HTTP/1.1\r\nHost: x\r\n${authorization(me)}Cookie: ${'a'.repeat(60_000)}`;
  const clients = Array.from({ length: 20 }, () => {
    const client = connect({ port: world.port, host: '127.0.0.1', localAddress: '127.0.0.2' });
    client.on('error', () => {}).write(head);
    return client;
  });
  const open = () => clients.filter(({ closed }) => !closed).length;
  await expect.poll(open).toBeLessThanOrEqual(17);
  expect(open()).toBeGreaterThanOrEqual(15);
  origin.answer(OK);
  expect(await raw(world.port, `${head}\r\nConnection: close\r\n\r\n`)).toMatch(/^HTTP\/1\.1 200 OK/);
  for (const client of clients) client.destroy();
  await new Promise((resolve) => setTimeout(resolve, 100));
  expect(await raw(world.port, `${head}\r\nConnection: close\r\n\r\n`, '127.0.0.2')).toMatch(
    /^HTTP\/1\.1 200 OK/,
  );
});

test.each(forwardCases)('$name (RFC $section)', async (each) => {
  origin.answer(each.reply ?? OK);
  const got = await sent(each);
  const atSite = origin.received();
  for (const pattern of each.client) expect(got).toMatch(pattern);
  for (const pattern of each.hidden ?? []) expect(got).not.toMatch(pattern);
  if (each.site === null) expect(atSite).toBe('');
  for (const pattern of each.site ?? []) expect(atSite).toMatch(pattern);
  for (const pattern of each.never ?? []) expect(atSite).not.toMatch(pattern);
});
