import { type Endpoint, isIdempotent } from '@propusk/contract/endpoint';
import { type CallName, calls } from '@propusk/contract/endpoints';
import { type ErrorCode, errors } from '@propusk/contract/errors';
import { CompanySnapshot, feed } from '@propusk/contract/feed';
import { errorMessages } from '@propusk/phrases/errors';
import { fieldFaults } from '@propusk/phrases/fields';
import { productName } from '@propusk/phrases/openapi';
import type * as z from 'zod/mini';
import { bodyExamples, groups, meanings, parameters } from './documented/calls.ts';
import { type OperationText, operations } from './documented/operations.ts';
import { registered } from './documented/schemas.ts';
import { bodyOf as errorBodyOf, validate } from './error-reply.ts';
import { isConditional, refusalsOf } from './openapi-errors.ts';
import { type Components, exampleOf, type JsonSchema, schemaOf } from './openapi-schemas.ts';
import { feedExample, introduction } from './openapi-texts.ts';

type Examples = Record<string, { summary?: string; value: unknown }>;
type Content = Record<string, { schema: JsonSchema; examples: Examples }>;

interface Parameter {
  name: string;
  in: 'path' | 'query' | 'header';
  required: boolean;
  description: string;
  schema: JsonSchema;
  example: unknown;
}

interface Header {
  description: string;
  required: boolean;
  schema: JsonSchema;
  example: unknown;
}

interface Response {
  description: string;
  headers?: Record<string, Header>;
  content?: Content;
}

export interface Operation {
  operationId: string;
  tags: string[];
  summary: string;
  description: string;
  security: Record<string, string[]>[];
  parameters?: Parameter[];
  requestBody?: { required: boolean; content: Content };
  responses: Record<string, Response>;
}

/** An OpenAPI 3.1 document, reduced to the fields that we write. */
export interface OpenApi {
  openapi: '3.1.1';
  info: {
    title: string;
    version: string;
    description: string;
    license: { name: string; identifier: string };
  };
  servers: { url: string; description: string }[];
  tags: { name: string; description: string }[];
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Components; securitySchemes: Record<string, object> };
}

/**
 * Derives the OpenAPI document from the contract.
 * @throws Error when a parameter of a call has no text in `documented/calls.ts`
 */
export function describeCalls(version: string): OpenApi {
  const schemas: Components = { Error: errorSchema };
  // The feed's reply is a stream, so no reply schema refers to the snapshots in its events.
  schemaOf(schemas, CompanySnapshot, 'output');
  const paths: OpenApi['paths'] = {};
  for (const name of Object.keys(calls) as CallName[]) {
    const endpoint: Endpoint = calls[name];
    const path = `/api${endpoint.path.replace(/:(\w+)/g, '{$1}')}`;
    const operation = operationOf(schemas, endpoint, operations[name]);
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

function operationOf(schemas: Components, endpoint: Endpoint, text: OperationText): Operation {
  const { path, body } = endpoint;
  const [summary, description] = typeof text === 'string' ? [text] : text;
  const parameters = parametersOf(schemas, endpoint);
  return {
    operationId: operationId(endpoint),
    tags: [path.split('/')[1] ?? ''],
    summary,
    description: [description, accessOf(endpoint)].filter(Boolean).join('\n\n'),
    security: securityOf(endpoint),
    ...(parameters.length > 0 && { parameters }),
    ...(body && { requestBody: { required: true, content: bodyOf(schemas, endpoint, body) } }),
    responses: { ...successOf(schemas, endpoint), ...refusalResponses(endpoint) },
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

function parametersOf(schemas: Components, endpoint: Endpoint): Parameter[] {
  const found: Parameter[] = [];
  for (const [where, schema] of [
    ['path', endpoint.params],
    ['query', endpoint.query],
  ] as const) {
    const fields = schema === undefined ? {} : (schemaOf(schemas, schema, 'input').properties ?? {});
    for (const [name, field] of Object.entries(fields)) found.push(parameterOf(where, name, field));
  }
  if (isConditional(endpoint)) found.push(ifMatch);
  if (isIdempotent(endpoint)) found.push(idempotencyKey);
  if (endpoint.device === 'taken' || endpoint.proof !== undefined) found.push(deviceMark);
  return found;
}

function parameterOf(where: 'path' | 'query', name: string, field: JsonSchema): Parameter {
  const documented = (parameters as Record<string, readonly [string, unknown]>)[name];
  if (documented === undefined)
    throw new Error(`documented/calls.ts does not describe the parameter ${name}`);
  // A URL holds only text; a number that accepts digits is documented as a number.
  const { description: _, examples: __, ...schema } = field.anyOf?.at(-1) ?? field;
  return {
    name,
    in: where,
    required: where === 'path',
    description: documented[0],
    schema,
    example: documented[1],
  };
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

function bodyOf(schemas: Components, endpoint: Endpoint, body: z.ZodMiniType): Content {
  const schema = schemaOf(schemas, body, 'input');
  const examples = bodyExamples.get(endpoint) ?? { example: { value: exampleOf(schemas, schema) } };
  return { 'application/json': { schema, examples } };
}

function successOf(schemas: Components, endpoint: Endpoint): Record<string, Response> {
  const { method, status, reply } = endpoint;
  if (endpoint === feed) return { '200': stream };
  const headers: Record<string, Header> = {};
  if (endpoint.device !== undefined) headers['Propusk-Device'] = deviceAnswer;
  const headersIfAny = () => Object.keys(headers).length > 0 && { headers };
  if (reply === undefined)
    return { [status]: { description: 'The call succeeded; the reply has no body.', ...headersIfAny() } };
  if (endpoint.versioned) headers.ETag = etag;
  // A list that is an array cannot hold the count.
  if (reply._zod.def.type === 'array') headers['X-Total-Count'] = totalCount;
  if (isIdempotent(endpoint)) headers['Idempotent-Replayed'] = replayed;
  const schema = schemaOf(schemas, reply, 'output');
  const example = { value: exampleOf(schemas, schema) };
  const name = registered.get(reply)?.id;
  const results = {
    GET: 'The result',
    POST: 'The result',
    PUT: 'The entity after the change',
    DELETE: 'The deleted entity',
  };
  return {
    [status]: {
      description: `${results[method]}${name === undefined ? '' : ` (${name})`}.`,
      ...headersIfAny(),
      content: { 'application/json': { schema, examples: { example } } },
    },
  };
}

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

const errorSchema: JsonSchema = {
  type: 'object',
  description: 'The body of every error reply.',
  required: ['code', 'message'],
  additionalProperties: false,
  properties: {
    code: {
      type: 'string',
      description: 'The error code, for programs.',
      enum: Object.keys(errors),
      examples: ['bad_input'],
    },
    message: {
      type: 'string',
      description: 'A Russian sentence for users.',
      minLength: 1,
      examples: [errorMessages.bad_input],
    },
    fields: {
      type: 'object',
      description: 'A description of each fault, by its path in the input, such as `politics.0`.',
      additionalProperties: { type: 'string' },
      examples: [{ email: fieldFaults.email() }],
    },
  },
  examples: [
    {
      code: 'bad_input',
      message: errorMessages.bad_input,
      fields: { email: fieldFaults.email() },
    },
  ],
};

function refusalResponses(endpoint: Endpoint): Record<string, Response> {
  const byStatus = Object.groupBy(refusalsOf(endpoint), (code) => errors[code].status);
  return Object.fromEntries(
    Object.entries(byStatus).map(([status, codes]) => [status, refusalResponse(endpoint, codes)]),
  );
}

function refusalResponse(endpoint: Endpoint, codes: ErrorCode[]): Response {
  const examples: Examples = {};
  for (const code of codes) {
    const fields = code === 'bad_input' ? wrongFields(endpoint) : {};
    examples[code] = { summary: meanings[code], value: { code, message: errorMessages[code], ...fields } };
  }
  return {
    description: codes.map((code) => `\`${code}\`: ${meanings[code]}.`).join('\n\n'),
    ...(codes.includes('too_many_requests') && {
      headers: { 'Retry-After': retryAfter },
    }),
    ...(codes.some((code) => errors[code].status === 401) && {
      headers: { 'WWW-Authenticate': authenticate },
    }),
    content: {
      'application/json': {
        schema: {
          allOf: [{ $ref: '#/components/schemas/Error' }, { properties: { code: { enum: codes } } }],
        },
        examples,
      },
    },
  };
}

/** The server's real reply to an input whose first field is missing. */
function wrongFields(endpoint: Endpoint): { fields?: Record<string, string> } {
  const schema = endpoint.body ?? endpoint.params ?? endpoint.query;
  const def = schema?._zod.def as { type?: string; shape?: object } | undefined;
  if (schema === undefined || def === undefined) return {};
  const wrong = def.type === 'array' ? [{}] : { [Object.keys(def.shape ?? {})[0] ?? '']: null };
  const { error } = validate({ schema })(wrong);
  const fields = error && errorBodyOf(error).fields;
  return fields === undefined ? {} : { fields };
}
