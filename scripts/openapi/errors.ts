import { type Endpoint, isConditional, isExported, isIdempotent } from '@propusk/contract/endpoint';
import { type ErrorCode, errors } from '@propusk/contract/errors';

/**
 * Every code that a call may answer with: its declared codes, and those that follow from its access, input and method
 * (`implement.ts`, `json.ts`, `error-reply.ts`).
 */
export function refusalsOf(endpoint: Endpoint): ErrorCode[] {
  const { method, access, params, query } = endpoint;
  const codes = new Set<ErrorCode>(endpoint.errors);
  // Fastify also parses the body of a DELETE, although no call uses it.
  if (method !== 'GET') {
    for (const code of [
      'bad_json',
      'too_deep',
      'too_large',
      'bad_media_type',
      'bad_input',
      // `daily-bytes.ts` throws too_many_requests; `implement.ts` throws disk_full.
      'too_many_requests',
      'disk_full',
    ] as const) {
      codes.add(code);
    }
  }
  if (params !== undefined || query !== undefined) codes.add('bad_input');
  if (access !== 'public' && access !== 'maybe-signed-in') codes.add('unauthorized');
  if (Array.isArray(access)) codes.add('forbidden');
  if ((Array.isArray(access) || access === 'signed-in') && !endpoint.beforeFactor)
    codes.add('second_factor_required');
  if (isConditional(endpoint)) codes.add('changed_meanwhile');
  if (isIdempotent(endpoint)) codes.add('idempotency_mismatch');
  if (access !== 'public' && access !== 'gateway') codes.add('busy');
  if (endpoint.heavy || isExported(endpoint)) codes.add('too_long');
  codes.add('internal').add('overloaded').add('unavailable');
  // In the order of `errors`, so that the document does not depend on the order of declarations.
  return (Object.keys(errors) as ErrorCode[]).filter((code) => codes.has(code));
}
