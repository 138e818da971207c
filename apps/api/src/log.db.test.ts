import { login } from '@propusk/contract/auth';
import { health } from '@propusk/contract/health';
import { me } from '@propusk/contract/me';
import { createProxy } from '@propusk/contract/proxies';
import { startApi, type TestApi } from '@propusk/test-kit/api/api';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';

/** The log's fields, which docs/operating/watching.md documents for operators. */

let api: TestApi;
let output = '';
beforeAll(async () => {
  api = await startApi(inject('serverUrl'), { logTo: (line) => (output += line) });
});
afterAll(() => api.close());

test('each log line has its documented fields and contains no secret', async () => {
  const { token, email } = await api.company();
  await api.must(token, me);
  await api.must(token, createProxy, {
    body: { host: 'proxy.example.ru', port: 8080, username: 'login', password: 'canary-proxy' },
  });
  // These requests carry search terms, and tokens in unexpected places. The log must contain neither terms nor tokens.
  const headers = { authorization: `Bearer ${token}` };
  for (const url of [
    '/api/me?token=canary-query',
    '/api/users?search=canary-search',
    '/api/no-such-call?token=canary-absent',
    '/sites?token=canary-screen',
    '/api/users/%zz?token=canary-malformed',
    'http://user:canary-authority@console.test/api/me?token=canary-absolute',
  ])
    await api.app.inject({ method: 'GET', url, headers });
  const wrong = { email, password: 'canary-guess' };
  expect((await api.call(null, login, { body: wrong })).status).toBe(401);
  const sent = { authorization: 'Bearer canary-bearer', cookie: 'a=canary-cookie' };
  expect((await api.call(null, me, { headers: sent })).status).toBe(401);
  // The log of a database error must not contain the query parameters.
  await api.database.shut();
  expect((await api.call(null, login, { body: wrong })).status).toBe(503);
  await api.database.reopen();

  const lines = output
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  const request = { method: expect.any(String), url: '/api/me', host: expect.any(String) };
  const common = { room: 'api', time: expect.any(Number), reqId: expect.any(String) };
  expect(lines).toContainEqual(
    expect.objectContaining({ ...common, level: 30, req: expect.objectContaining(request) }),
  );
  expect(lines).toContainEqual(
    expect.objectContaining({ ...common, res: { statusCode: 200 }, responseTime: expect.any(Number) }),
  );
  expect(lines).toContainEqual(expect.objectContaining({ ...common, level: 50, err: expect.anything() }));
  for (const secret of ['canary', token, 'correct horse']) expect(output).not.toContain(secret);
});

test.each([
  ['info', 0],
  ['debug', 2],
] as const)('at %s a request for health has %i lines in the log', async (logLevel, expected) => {
  const lines: string[] = [];
  const own = await startApi(inject('serverUrl'), { logTo: (line) => void lines.push(line), logLevel });
  expect((await own.call(null, health)).status).toBe(200);
  expect(lines.filter((line) => line.includes('"reqId"'))).toHaveLength(expected);
  await own.close();
});

test('a request whose path and host have 7 KB each writes less than 4 KB to the log', async () => {
  const lines: string[] = [];
  const own = await startApi(inject('serverUrl'), {
    logTo: (line) => void lines.push(line),
    logLevel: 'info',
  });
  const long = 'a'.repeat(7_000);
  for (const url of [`/api/${long}`, `/api/users/${long}`, `/${long}`]) {
    lines.length = 0;
    await own.app.inject({ method: 'GET', url, headers: { host: `${long}.test` } });
    expect(lines.join('').length, url.slice(0, 12)).toBeLessThan(4_096);
  }
  await own.close();
});
