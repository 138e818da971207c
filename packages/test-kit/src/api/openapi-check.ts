import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { JsonSchema, OpenApi } from './openapi-types.ts';

/** The OpenAPI document that the server serves. */
const path = fileURLToPath(import.meta.resolve('@propusk/api/http/openapi.json'));
export const openapi: OpenApi = JSON.parse(readFileSync(path, 'utf8'));

// ajv's strict mode is off, because references point into the whole OpenAPI document, which is no schema.
const ajv = formats.default(new Ajv2020({ strict: false, addUsedSchema: false, validateSchema: false }));
ajv.addSchema(openapi, 'openapi');

/** Builds a JSON pointer into the document. */
export function pointer(...path: string[]): string {
  return path
    .map((part) => `/${encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1'))}`)
    .join('');
}

const compiled = new Map<string, ValidateFunction>();
/** Validates a value by the schema at a pointer. @returns the fault; null for a valid value */
export function misfit(at: string, value: unknown): string | null {
  let validate = compiled.get(at);
  if (validate === undefined) {
    validate = ajv.compile({ $ref: `openapi#${at}` });
    compiled.set(at, validate);
  }
  return validate(value) ? null : ajv.errorsText(validate.errors);
}

/**
 * The schema of replies to unknown or undecodable paths. Fastify parses the body before it reports an
 * unknown route, so body errors occur too.
 */
const unrouted = ajv.compile({
  $ref: 'openapi#/components/schemas/ErrorBody',
  properties: {
    code: {
      enum: [
        'no_such_call',
        'not_found',
        'bad_input',
        'bad_json',
        'too_deep',
        'too_large',
        'bad_media_type',
        'overloaded',
      ],
    },
  },
});

/**
 * Compares every reply of a server under test with its documentation: call, status, media type, headers, and the body with
 * its schema. Closing the server fails after a deviation.
 * @returns the deviations so far
 */
export function watchReplies(app: FastifyInstance): readonly string[] {
  const violations: string[] = [];
  app.addHook('onSend', async (request, reply, payload) => {
    if (!/^\/api(\/|\?|$)/.test(request.url) || /^\/api\/docs(\/|$)/.test(request.url)) return payload;
    const found = violationOf(request, reply, payload);
    if (found !== null) {
      const body = typeof payload === 'string' ? payload.slice(0, 500) : String(payload);
      violations.push(`${request.method} ${request.url}: ${reply.statusCode} ${body}: ${found}`);
    }
    return payload;
  });
  app.addHook('onClose', async () => {
    if (violations.length > 0) {
      throw new Error(`replies that deviate from the documentation:\n${violations.slice(0, 20).join('\n')}`);
    }
  });
  return violations;
}

function violationOf(request: FastifyRequest, reply: FastifyReply, payload: unknown): string | null {
  const { url } = request.routeOptions;
  const body = typeof payload === 'string' && payload !== '' ? payload : undefined;
  const mediaType = String(reply.getHeader('content-type') ?? '').split(';')[0];
  if (request.is404 || url === undefined) {
    if (mediaType !== 'application/json') return `media type ${mediaType}`;
    return unrouted(parse(body)) ? null : ajv.errorsText(unrouted.errors);
  }
  const path = url.replace(/:(\w+)/g, '{$1}');
  // Fastify answers HEAD for every GET, without the body.
  const method = request.method === 'HEAD' ? 'get' : request.method.toLowerCase();
  const operation = openapi.paths[path]?.[method];
  if (operation === undefined) return 'no such operation';
  const response = operation.responses[String(reply.statusCode)];
  if (response === undefined) return 'no such status';
  const at = pointer('paths', path, method, 'responses', String(reply.statusCode));
  for (const [name, { required, schema }] of Object.entries(response.headers ?? {})) {
    const value = reply.getHeader(name);
    if (value === undefined && required) return `no ${name}`;
    const wrong =
      value !== undefined && misfit(`${at}${pointer('headers', name, 'schema')}`, spelled(schema, value));
    if (typeof wrong === 'string') return `${name}: ${wrong}`;
  }
  if (request.method === 'HEAD') return null;
  const content = response.content?.[mediaType ?? ''];
  if (response.content === undefined) return body === undefined ? null : 'an undocumented body';
  if (content === undefined) return `media type ${mediaType}`;
  // A stream has no body yet.
  if (mediaType === 'application/x-ndjson' || mediaType === 'text/csv') return null;
  return misfit(`${at}${pointer('content', mediaType ?? '', 'schema')}`, parse(body));
}

function spelled(schema: JsonSchema, header: unknown): unknown {
  return schema.type === 'integer' ? Number(header) : String(header);
}

function parse(body: string | undefined): unknown {
  return body === undefined ? undefined : JSON.parse(body);
}
