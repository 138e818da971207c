import { logout } from '@propusk/contract/auth';
import { limits } from '@propusk/contract/limits';
import { startApi, type TestApi, testKeys } from '@propusk/test-kit/api/api';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';

let api: TestApi;
beforeAll(async () => {
  api = await startApi(inject('serverUrl'));
});
afterAll(() => api.close());

const nested = (deep: number) => `${'{"a":'.repeat(deep)}1${'}'.repeat(deep)}`;
const post = (payload: string, headers: Record<string, string> = {}) =>
  api.app.inject({
    method: 'POST',
    url: '/api/auth/login',
    headers: { 'content-type': 'application/json', ...headers },
    payload,
  });

test('the api refuses a body with more than 32 levels of nesting', async () => {
  expect((await post(nested(32))).json().code).toBe('bad_input');
  expect((await post(nested(33))).json().code).toBe('too_deep');
  expect((await post('['.repeat(limits.smallBody))).json().code).toBe('too_deep');
  const { token } = await api.company();
  const signedIn = await api.app.inject({
    method: 'POST',
    url: '/api/domain-allowed',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    payload: '['.repeat(limits.body),
  });
  expect(signedIn.json().code).toBe('too_deep');
});

test('a call without a token accepts at most 16 KiB of body', async () => {
  expect((await post('['.repeat(limits.smallBody + 1))).json().code).toBe('too_large');
});

test.each(['', '{', '{"email":}', '{"__proto__":{"x":1}}', '{"constructor":{"prototype":{}}}'])(
  'the api refuses the body %j as invalid JSON',
  async (payload) => {
    const reply = await post(payload);
    expect([reply.statusCode, reply.json().code]).toEqual([400, 'bad_json']);
  },
);

test('the api accepts a JSON content type on a request without a body', async () => {
  const { token } = await api.company();
  const reply = await api.app.inject({
    method: logout.method,
    url: `/api${logout.path}`,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    payload: '',
  });
  expect(reply.statusCode).toBe(204);
});

test('a HEAD request to the feed gets 404', async () => {
  const headers = { authorization: `Bearer ${testKeys.feed}` };
  expect((await api.app.inject({ method: 'HEAD', url: '/api/feed', headers })).statusCode).toBe(404);
});

test('a 401 response carries WWW-Authenticate: Bearer', async () => {
  const reply = await api.app.inject({ url: '/api/me' });
  expect([reply.statusCode, reply.headers['www-authenticate']]).toEqual([401, 'Bearer']);
});
