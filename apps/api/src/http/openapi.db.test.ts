import { endpoints } from '@propusk/contract/endpoints';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { startApi, type TestApi } from '../testing/api.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startApi(inject('serverUrl'));
});
afterAll(() => api.close());

test('OpenAPI tells of every call of the contract, and of no other', async () => {
  const { openapi, paths } = (await api.app.inject({ url: '/api/docs/json' })).json();
  expect(openapi).toMatch(/^3\.1/);
  const told = Object.entries<object>(paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
  );
  const declared = endpoints.map(({ method, path }) => `${method} /api${path.replace(/:(\w+)/g, '{$1}')}`);
  expect(told.toSorted((a, b) => a.localeCompare(b))).toEqual(
    declared.toSorted((a, b) => a.localeCompare(b)),
  );
});

test('what a caller sends and gets is described', async () => {
  const { paths } = (await api.app.inject({ url: '/api/docs/json' })).json();
  const { post } = paths['/api/domain-allowed'];
  expect(post.requestBody.content['application/json'].schema.required).toEqual(['address']);
  expect(Object.keys(post.responses['201'].content['application/json'].schema.properties)).toEqual([
    'id',
    'address',
    'politics',
    'createdAt',
    'updatedAt',
  ]);
  expect(post.security).toEqual([{ bearer: [] }]);
});
