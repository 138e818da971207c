import { watchReplies } from '@propusk/test-kit/api/openapi-check';
import fastify, { type FastifyReply } from 'fastify';
import { expect, test } from 'vitest';

/**
 * Runs the OpenAPI check on a response to `GET /api/company/me-company`.
 * @returns the first violation, and the error that closing the app throws
 */
async function violationsOf(answer: (reply: FastifyReply) => unknown, url = '/api/company/me-company') {
  const app = fastify();
  app.get('/api/company/me-company', (_, reply) => answer(reply));
  app.get('/api/unheard-of', (_, reply) => answer(reply));
  app.setNotFoundHandler((_, reply) => answer(reply));
  const violations = watchReplies(app);
  await app.inject({ url });
  const closed = app.close().then(
    () => null,
    (error: Error) => error.message,
  );
  return { found: violations[0]?.replace(/^.*: /s, ''), closed: await closed };
}

const company = {
  id: 5,
  companyName: 'Ромашка',
  companySite: 'romashka.ru',
  secondFactorRequired: false,
  confirmed: true,
  domainsAllowed: [],
  domainsBlock: [],
  proxy: [],
  users: [],
  politics: [],
  extensions: 0,
  version: 3,
  createdAt: '2026-03-02T09:30:00.000Z',
  updatedAt: '2026-03-02T09:30:00.000Z',
};
const tagged = (reply: FastifyReply) => reply.header('etag', '"3"');
const json = (reply: FastifyReply, status: number, body: object) => reply.status(status).send(body);
const nobody = (reply: FastifyReply) => reply.header('www-authenticate', 'Bearer');

test('the OpenAPI check accepts a documented response', async () => {
  expect(await violationsOf((reply) => tagged(reply).send(company))).toEqual({
    found: undefined,
    closed: null,
  });
  const refusal = { code: 'unauthorized', message: 'Войдите в приложение' };
  expect(await violationsOf((reply) => json(nobody(reply), 401, refusal))).toEqual({
    found: undefined,
    closed: null,
  });
});

test.each<[string, (reply: FastifyReply) => unknown, string]>([
  [
    'an undeclared field',
    (reply) => tagged(reply).send({ ...company, secret: 1 }),
    'must NOT have additional',
  ],
  [
    'a missing field',
    (reply) => tagged(reply).send({ ...company, id: undefined }),
    'must have required property',
  ],
  ['an invalid date', (reply) => tagged(reply).send({ ...company, createdAt: 'now' }), 'must match format'],
  ['a missing header', (reply) => reply.send(company), 'no ETag'],
  ['a header in a wrong format', (reply) => reply.header('etag', '3').send(company), 'must match pattern'],
  ['an undocumented status', (reply) => json(reply, 418, {}), 'no such status'],
  [
    'the error code of another status',
    (reply) => json(nobody(reply), 401, { code: 'forbidden', message: 'Нет' }),
    'allowed values',
  ],
  ['another media type', (reply) => tagged(reply).type('text/plain').send('{}'), 'media type text/plain'],
])('the OpenAPI check reports %s and fails the close of the server', async (_, answer, words) => {
  const { found, closed } = await violationsOf(answer);
  expect(found).toContain(words);
  expect(closed).toContain(words);
});

test('the OpenAPI check requires the documented error for unknown routes, and ignores pages outside /api', async () => {
  const answer = (reply: FastifyReply) =>
    json(reply, 404, { code: 'no_such_call', message: 'Такого вызова нет' });
  expect((await violationsOf(answer, '/api/nowhere')).closed).toBeNull();
  expect((await violationsOf((reply) => json(reply, 404, {}), '/api/nowhere')).found).toContain(
    'must have required',
  );
  expect((await violationsOf((reply) => json(reply, 200, {}), '/api/unheard-of')).found).toBe(
    'no such operation',
  );
  // The OpenAPI document does not cover the console's pages.
  expect((await violationsOf((reply) => json(reply, 200, {}), '/elsewhere')).closed).toBeNull();
});
