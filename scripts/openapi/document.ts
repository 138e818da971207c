import { type Endpoint, isConditional, isExported, isIdempotent } from '@propusk/contract/endpoint';
import { calls } from '@propusk/contract/endpoints';
import { ErrorBody, type ErrorCode, errors } from '@propusk/contract/errors';
import { CompanySnapshot, feed } from '@propusk/contract/feed';
import { exportVisits } from '@propusk/contract/records';
import { errorMessages } from '@propusk/phrases/errors';
import { productName } from '@propusk/phrases/openapi';
import type {
  Components,
  Content,
  Header,
  JsonSchema,
  OpenApi,
  Operation,
  Parameter,
  Response,
} from '@propusk/test-kit/api/openapi-types';
import type * as z from 'zod/mini';
import { refusalsOf } from './errors.ts';
import { exampleOf, fieldsOf, nameOf, schemaOf, textOf } from './schemas.ts';
import { feedExample, groups, introduction } from './texts.ts';

/** Derives the OpenAPI document from the contract. */
export function describeCalls(version: string): OpenApi {
  const schemas: Components = {};
  // Add these here, because no reply schema refers to them: error replies list their own codes, and the feed is a stream.
  for (const schema of [ErrorBody, CompanySnapshot]) schemaOf(schemas, schema, 'output', '');
  Object.assign(schemas.ErrorBody?.properties?.code ?? {}, { enum: Object.keys(errors) });
  const paths: OpenApi['paths'] = {};
  for (const [name, endpoint] of Object.entries(calls).toSorted(byPath)) {
    const path = `/api${endpoint.path.replace(/:(\w+)/g, '{$1}')}`;
    const operation = operationOf(schemas, name, endpoint);
    paths[path] = { ...paths[path], [endpoint.method.toLowerCase()]: operation };
  }
  return {
    openapi: '3.1.1',
    info: {
      title: `Propusk (${productName})`,
      version,
      description: introduction,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/', description: 'This installation' }],
    tags: Object.entries(groups).map(([name, description]) => ({ name, description })),
    paths,
    components: {
      schemas,
      securitySchemes: {
        bearer: {
          type: 'http',
          scheme: 'bearer',
          description: 'The token from the reply of a sign-in or registration; valid for 30 days.',
        },
        gateway: {
          type: 'http',
          scheme: 'bearer',
          description: "The gateways' token, derived from GATEWAY_SECRET. No user has it.",
        },
      },
    },
  };
}

function byPath([, a]: [string, Endpoint], [, b]: [string, Endpoint]): number {
  return a.path < b.path ? -1 : Number(a.path > b.path);
}

function operationOf(schemas: Components, name: string, endpoint: Endpoint): Operation {
  const { path, body } = endpoint;
  // The first sentence of the comment is the summary.
  const [summary = '', ...rest] = textOf(name).split(/(?<=[.?])\s/);
  const parameters = parametersOf(schemas, name, endpoint);
  return {
    operationId: operationId(endpoint),
    tags: [path.split('/')[1] ?? ''],
    summary: summary.replace(/\.$/, ''),
    description: [rest.join(' '), accessOf(endpoint)].filter(Boolean).join('\n\n'),
    security: securityOf(endpoint),
    ...(parameters.length > 0 && { parameters }),
    ...(body && { requestBody: { required: true, content: bodyOf(schemas, name, body) } }),
    responses: { ...successOf(schemas, name, endpoint), ...refusalResponses(endpoint) },
  };
}

/** Names an operation after its method and path: `GET /users/:id` is `getUsersById`. */
function operationId({ method, path }: Endpoint): string {
  const words = path
    .replace(/:(\w+)/g, 'by-$1')
    .split(/[/-]/)
    .filter(Boolean);
  return method.toLowerCase() + words.map((word) => (word[0] ?? '').toUpperCase() + word.slice(1)).join('');
}

function accessOf({ access }: Endpoint): string {
  if (access === 'public') return 'Access: public.';
  if (access === 'maybe-signed-in') return 'Access: public; a token identifies the caller.';
  if (access === 'signed-in') return 'Access: every signed-in user.';
  if (access === 'gateway') return 'Access: gateways.';
  return `Access: ${access.join(', ')}.`;
}

function securityOf({ access }: Endpoint): Operation['security'] {
  if (access === 'public') return [];
  if (access === 'gateway') return [{ gateway: [] }];
  return access === 'maybe-signed-in' ? [{}, { bearer: [] }] : [{ bearer: [] }];
}

function parametersOf(schemas: Components, call: string, endpoint: Endpoint): Parameter[] {
  const found: Parameter[] = [];
  for (const where of ['path', 'query'] as const) {
    const part = where === 'path' ? 'params' : 'query';
    const schema = endpoint[part];
    const fields = schema === undefined ? [] : fieldsOf(schemas, schema, `${call}.${part}`);
    for (const [name, field] of fields)
      found.push({ name, in: where, required: where === 'path', ...parameterOf(schemas, field) });
  }
  if (isConditional(endpoint)) found.push(ifMatch);
  if (isIdempotent(endpoint)) found.push(idempotencyKey);
  if (endpoint.device === 'taken' || endpoint.proof !== undefined) found.push(deviceMark);
  return found;
}

function parameterOf(schemas: Components, field: JsonSchema) {
  // A URL holds only text; a number that accepts digits is documented as a number.
  const { description: _, examples: __, ...schema } = field.anyOf?.at(-1) ?? field;
  const [example = exampleOf(schemas, schema)] = field.examples ?? [];
  return { description: field.description ?? '', schema, example };
}

const ifMatch: Parameter = {
  name: 'If-Match',
  in: 'header',
  required: false,
  description:
    'The `ETag` of the version that the caller edits; 412 when the entity has changed since (RFC 9110 13.1.1).',
  schema: { type: 'string' },
  example: '"3"',
};

const mark = {
  schema: { type: 'string', pattern: '^[A-Za-z0-9_-]{56}$' },
  example: 'AZ8nq2cQm0tYb1N4dK7vS3xWc9LhRz5uTfGjPeIoXaDsVw8yBk6ZQ-2m',
} as const;

const deviceMark: Parameter = {
  name: 'Propusk-Device',
  in: 'header',
  required: false,
  description:
    'The device mark from an earlier sign-in. It gives this device its own limit of 10 password checks in 15 minutes. A mark that is forged, expired, of another account or older than the password is ignored.',
  ...mark,
};

const deviceAnswer: Header = {
  description:
    'The device mark for the next sign-in. It is valid for 180 days or until a new password, and grants no access.',
  required: false,
  ...mark,
};

const idempotencyKey: Parameter = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description:
    'Any text; a repeated request with the same key creates nothing more. The key expires after 24 hours.',
  schema: { type: 'string', minLength: 1, maxLength: 255, pattern: '^[\\x21-\\x7e]+$' },
  example: '7f9c24e8-3b12-4fae-8f0b-1f7a9c35d2aa',
};

function bodyOf(schemas: Components, call: string, body: z.ZodMiniType): Content {
  const schema = schemaOf(schemas, body, 'input', `${call}.body`);
  const several = schemas[nameOf(body) ?? '']?.examples ?? [exampleOf(schemas, schema)];
  const examples = Object.fromEntries(several.map((value, i) => [`example${i + 1}`, { value }]));
  return { 'application/json': { schema, examples } };
}

function successOf(schemas: Components, call: string, endpoint: Endpoint): Record<string, Response> {
  const { method, status, reply } = endpoint;
  if (endpoint === feed) return { '200': stream };
  const headers: Record<string, Header> = {};
  if (endpoint.device !== undefined) headers['Propusk-Device'] = deviceAnswer;
  const headersIfAny = () => Object.keys(headers).length > 0 && { headers };
  if (reply === undefined)
    return { [status]: { description: 'The call succeeded; the reply has no body.', ...headersIfAny() } };
  if (endpoint.versioned) headers.ETag = etag;
  // An array has no field for the total count, so a header contains it.
  if (reply._zod.def.type === 'array') headers['X-Total-Count'] = totalCount;
  if (isIdempotent(endpoint)) headers['Idempotent-Replayed'] = replayed;
  const schema = schemaOf(schemas, reply, 'output', `${call}.reply`);
  const example = { value: exampleOf(schemas, schema) };
  const name = nameOf(reply);
  const results = {
    GET: 'The result',
    POST: 'The result',
    PUT: 'The entity after the change',
    DELETE: 'The deleted entity',
  };
  if (endpoint === exportVisits) {
    const content = { 'application/x-ndjson': { schema, examples: { example } }, ...csv };
    return { [status]: { description: 'JSON lines, each of this schema (Visit), or a CSV.', content } };
  }
  return {
    [status]: {
      description: `${results[method]}${name === undefined ? '' : ` (${name})`}.`,
      ...headersIfAny(),
      content: { 'application/json': { schema, examples: { example } }, ...(isExported(endpoint) && csv) },
    },
  };
}

const csv: Content = {
  'text/csv': {
    schema: { type: 'string' },
    examples: { example: { value: '"2026-03-14 10:05:00";"1"\r\n' } },
  },
};

const etag: Header = {
  description: 'The version of the entity, for `If-Match`.',
  required: true,
  schema: { type: 'string', pattern: '^(W/)?"[1-9][0-9]*"$' },
  example: '"3"',
};

const totalCount: Header = {
  description: 'The number of all matching rows.',
  required: true,
  schema: { type: 'integer', minimum: 0 },
  example: 1,
};

const replayed: Header = {
  description: 'The reply is that of an earlier request with the same `Idempotency-Key`.',
  required: false,
  schema: { const: 'true' },
  example: 'true',
};

const retryAfter: Header = {
  description: 'Seconds to wait before the next attempt.',
  required: true,
  schema: { type: 'integer', minimum: 1 },
  example: 60,
};

const authenticate: Header = {
  description: 'The scheme of `Authorization` (RFC 9110 section 11.6.1).',
  required: true,
  schema: { type: 'string', const: 'Bearer' },
  example: 'Bearer',
};

const stream: Response = {
  description:
    'Server-sent events until either side closes the connection. The data of `company` is a CompanySnapshot.',
  content: {
    'text/event-stream': { schema: { type: 'string' }, examples: { example: { value: feedExample } } },
  },
};

function refusalResponses(endpoint: Endpoint): Record<string, Response> {
  const byStatus = Object.groupBy(refusalsOf(endpoint), (code) => errors[code].status);
  return Object.fromEntries(
    Object.entries(byStatus).map(([status, codes]) => [status, refusalResponse(status, codes)]),
  );
}

function refusalResponse(status: string, codes: ErrorCode[]): Response {
  const examples = codes.map((code) => [
    code,
    { summary: textOf(`errors.${code}`), value: { code, message: errorMessages[code] } },
  ]);
  return {
    description: codes.map((code) => `\`${code}\`: ${textOf(`errors.${code}`)}`).join('\n\n'),
    ...(status === '429' && { headers: { 'Retry-After': retryAfter } }),
    ...(status === '401' && { headers: { 'WWW-Authenticate': authenticate } }),
    content: {
      'application/json': {
        schema: {
          allOf: [{ $ref: '#/components/schemas/ErrorBody' }, { properties: { code: { enum: codes } } }],
        },
        examples: Object.fromEntries(examples),
      },
    },
  };
}
