import SwaggerParser from '@apidevtools/swagger-parser';
import { endpoints } from '@propusk/contract/endpoints';
import { errors } from '@propusk/contract/errors';
import { errorMessages } from '@propusk/phrases/errors';
import { startApi, type TestApi } from '@propusk/test-kit/api/api';
import { misfit, pointer } from '@propusk/test-kit/api/openapi-check';
import type { JsonSchema, OpenApi, Operation } from '@propusk/test-kit/api/openapi-types';
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { refusalsOf } from '../../../scripts/openapi/errors.ts';
import manifest from '../package.json' with { type: 'json' };

let api: TestApi;
let document: OpenApi;
beforeAll(async () => {
  api = await startApi(inject('serverUrl'));
  document = (await api.app.inject({ url: '/api/docs/json' })).json();
});
afterAll(() => api.close());

test('the OpenAPI document has the version of package.json', () => {
  expect(document.info.version).toBe(manifest.version);
});

function operations(): [string, Operation, path: string, method: string][] {
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]): [string, Operation, string, string] => [
      `${method.toUpperCase()} ${path}`,
      operation,
      path,
      method,
    ]),
  );
}

const byName = (a: string, b: string) => a.localeCompare(b);

describe('the OpenAPI document', () => {
  test('the OpenAPI document is valid OpenAPI 3.1', async () => {
    expect(document.openapi).toMatch(/^3\.1/);
    await expect(SwaggerParser.validate(structuredClone(document) as never)).resolves.toBeDefined();
  });

  test('the OpenAPI document describes exactly the calls of the contract', () => {
    const declared = endpoints.map(({ method, path }) => `${method} /api${path.replace(/:(\w+)/g, '{$1}')}`);
    expect(
      operations()
        .map(([name]) => name)
        .toSorted(byName),
    ).toEqual(declared.toSorted(byName));
  });

  test('Swagger UI serves the document as a page', async () => {
    const page = await api.app.inject({ url: '/api/docs/' });
    expect(page.statusCode).toBe(200);
    expect(page.headers['content-type']).toMatch(/^text\/html/);
  });

  test('the OpenAPI document gives each call a unique name, a summary, its roles and a described group', () => {
    const ids = operations().map(([, { operationId }]) => operationId);
    expect(new Set(ids).size).toBe(endpoints.length);
    const groups = new Set(document.tags.map(({ name }) => name));
    for (const [name, { operationId, summary, description, tags }] of operations()) {
      expect(operationId, name).toMatch(/^[a-z]+[A-Z]\w+$/);
      expect(summary, name).toMatch(/\S{2}/);
      expect(description, name).toMatch(/Access: (public|every signed-in user|gateways|[A-Z])/);
      expect(tags.filter((tag) => groups.has(tag)).length, name).toBe(1);
    }
  });

  test('the OpenAPI document describes every group, parameter, header, response, schema and field', () => {
    const silent: string[] = [];
    visit(document, (node, at) => {
      if ('description' in node && typeof node.description === 'string' && node.description.trim() === '') {
        silent.push(at);
      }
      const described = 'description' in node;
      if (/\/(parameters|headers|responses)\/[^/]+$/.test(at) && !described) silent.push(at);
      if (/^\/components\/(schemas|securitySchemes)\/[^/]+$/.test(at) && !described) silent.push(at);
      if (/\/properties\/[^/]+$/.test(at) && !/\/allOf\/1\//.test(at) && !described) silent.push(at);
    });
    expect(silent).toEqual([]);
  });
});

describe('the examples of the OpenAPI document', () => {
  test('every parameter, body, response and header in the OpenAPI document has an example', () => {
    const bare: string[] = [];
    visit(document.paths, (node, at) => {
      if (/\/(parameters|headers)\/[^/]+$/.test(at) && node.example === undefined) bare.push(at);
      if (/\/content\/[^/]+$/.test(at) && Object.keys((node.examples as object) ?? {}).length === 0)
        bare.push(at);
    });
    expect(bare).toEqual([]);
    expect(
      Object.keys(
        document.paths['/api/auth/register']?.post?.requestBody?.content['application/json']?.examples ?? {},
      ),
    ).toEqual(['example1', 'example2', 'example3', 'example4']);
  });

  test('every example in the OpenAPI document is valid by its schema', () => {
    const wrong: string[] = [];
    let checked = 0;
    const hold = (at: string, value: unknown) => {
      checked++;
      const found = misfit(at, value);
      if (found !== null) wrong.push(`${at}: ${found}`);
    };
    visit(document, (node, at) => {
      if (node.schema !== undefined && node.example !== undefined) hold(`${at}/schema`, node.example);
      if (node.schema !== undefined && node.examples !== undefined) {
        for (const { value } of Object.values(node.examples as Record<string, { value: unknown }>)) {
          hold(`${at}/schema`, value);
        }
      }
      if (node.schema === undefined && Array.isArray(node.examples)) {
        for (const value of node.examples) hold(at, value);
      }
    });
    expect(wrong).toEqual([]);
    expect(checked).toBeGreaterThan(500);
  });
});

describe('the schemas of the OpenAPI document', () => {
  test('every schema in the OpenAPI document is JSON Schema 2020-12 without unknown keywords', () => {
    const ajv = formats.default(new Ajv2020({ strict: true, strictTypes: false, strictRequired: false }));
    for (const [name, schema] of Object.entries(document.components.schemas)) {
      ajv.addSchema(refer(schema), name);
    }
    for (const name of Object.keys(document.components.schemas)) {
      expect(() => ajv.getSchema(name), name).not.toThrow();
    }
  });

  test('response schemas in the OpenAPI document allow no undeclared properties', () => {
    const open: string[] = [];
    for (const [, { responses }, path, method] of operations()) {
      for (const [status, { content = {} }] of Object.entries(responses)) {
        for (const { schema } of Object.values(content)) {
          visit(resolved(schema), (node, at) => {
            if (node.type === 'object' && node.additionalProperties === undefined) {
              open.push(`${method} ${path} ${status} ${at}`);
            }
          });
        }
      }
    }
    expect(open).toEqual([]);
  });

  test('the OpenAPI schemas of a call describe its request and response fields', () => {
    const { post } = document.paths['/api/domain-allowed'] ?? {};
    expect(post?.requestBody?.content['application/json']?.schema).toEqual({
      $ref: '#/components/schemas/SiteInput',
    });
    expect(document.components.schemas.SiteInput?.required).toEqual(['address']);
    expect(post?.responses['201']?.content?.['application/json']?.schema).toEqual({
      $ref: '#/components/schemas/Site',
    });
    expect(document.components.schemas.ProxyInput?.properties?.port).toMatchObject({
      anyOf: [
        { type: 'string', pattern: '^[1-9]\\d{3,4}$' },
        { type: 'integer', minimum: 1000, maximum: 65535 },
      ],
    });
  });
});

describe('the errors in the OpenAPI document', () => {
  test('each error in the OpenAPI document has its code, schema and message', () => {
    for (const [name, { responses }, path, method] of operations()) {
      const endpoint = endpoints.find(
        (one) => one.method === method.toUpperCase() && `/api${one.path.replace(/:(\w+)/g, '{$1}')}` === path,
      );
      const codes = Object.entries(responses).flatMap(([status, { content, headers }]) => {
        if (Number(status) < 400) return [];
        if (status === '429') expect(headers?.['Retry-After'], name).toBeDefined();
        return Object.entries(content?.['application/json']?.examples ?? {}).map(([code, { value }]) => {
          const { status: expected } = errors[code as keyof typeof errors];
          const message = errorMessages[code as keyof typeof errors];
          expect([String(expected), code, message]).toEqual([
            status,
            ...Object.values(value as object).slice(0, 2),
          ]);
          return code;
        });
      });
      expect(codes.toSorted(byName), name).toEqual(endpoint && refusalsOf(endpoint).toSorted(byName));
      expect(codes, name).toContain('internal');
    }
  });

  test('every error code is documented for at least one call', () => {
    const documented = new Set(endpoints.flatMap(refusalsOf));
    // The response to an unknown route belongs to no call, so the document's introduction describes this response.
    expect(Object.keys(errors).filter((code) => !documented.has(code as keyof typeof errors))).toEqual([
      'no_such_call',
    ]);
    expect(document.info.description).toContain('no_such_call');
  });

  test('the documented security schemes and errors of a call match its access rule', () => {
    const post = document.paths['/api/auth/register']?.post;
    expect(post?.security).toEqual([{}, { bearer: [] }]);
    expect(document.paths['/api/health']?.get?.security).toEqual([]);
    expect(document.paths['/api/feed']?.get?.security).toEqual([{ gateway: [] }]);
    expect(document.paths['/api/me']?.get?.security).toEqual([{ bearer: [] }]);
    expect(Object.keys(document.paths['/api/me']?.get?.responses ?? {})).toEqual([
      '200',
      '401',
      '500',
      '503',
    ]);
  });
});

type Node = Record<string, unknown>;

/** Calls `see` with every object in a JSON tree and with the path of the object. */
function visit(node: unknown, see: (node: Node, at: string) => void, at = ''): void {
  if (typeof node !== 'object' || node === null) return;
  // Skips example values: they are data and may look like schemas.
  if (/\/(example|examples)\//.test(`${at}/`)) return;
  if (!Array.isArray(node)) see(node as Node, at);
  for (const [key, child] of Object.entries(node)) visit(child, see, at + pointer(key));
}

/** A schema with its references inlined. */
function resolved(schema: JsonSchema): unknown {
  return JSON.parse(JSON.stringify(schema), (_, node) => {
    const name = /^#\/components\/schemas\/(\w+)$/.exec(node?.$ref ?? '')?.[1];
    return name === undefined ? node : resolved(document.components.schemas[name] ?? {});
  });
}

/** Returns the schema with references by name only, such as `Site` instead of `#/components/schemas/Site`. */
function refer(schema: JsonSchema): object {
  return JSON.parse(JSON.stringify(schema).replaceAll('#/components/schemas/', ''));
}
