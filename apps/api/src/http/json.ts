import { limits } from '@propusk/contract/limits';
import type { FastifyInstance } from 'fastify';
import { AppError } from '../core/errors.ts';

/**
 * Accepts only JSON bodies, because a form of another site can send text/plain without a CORS preflight. Refuses a body with the
 * key `__proto__` or `constructor`. Refuses a too deeply nested body before parsing the body.
 */
export function readJsonBodies(app: FastifyInstance): void {
  const parse = app.getDefaultJsonParser('error', 'error');
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (request, body, done) => {
    const text = String(body);
    // A call without a body schema accepts an empty body, because some clients send a Content-Type with every request.
    if (text === '' && request.routeOptions.schema?.body === undefined) return done(null, undefined);
    if (depth(text) > limits.depth) return done(new AppError('too_deep'));
    void parse(request, text, (error, value) =>
      error === null ? done(null, withoutNulls(value)) : done(new AppError('bad_json')),
    );
  });
}

/**
 * Removes object fields whose value is null, because forms send null for empty fields and the contract gives
 * null no meaning. A null in a list stays, so that validation rejects the list and names the index.
 */
function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (typeof value !== 'object' || value === null) return value;
  const given = Object.entries(value).filter(([, part]) => part !== null);
  return Object.fromEntries(given.map(([key, part]) => [key, withoutNulls(part)]));
}

/** The nesting depth of a JSON text: counts brackets outside strings, without recursion. */
export function depth(text: string): number {
  let deepest = 0;
  let open = 0;
  let inString = false;
  for (let i = 0; i < text.length; i++) {
    const character = text[i];
    if (inString) {
      if (character === '\\') i++;
      else if (character === '"') inString = false;
    } else if (character === '"') inString = true;
    else if (character === '{' || character === '[') deepest = Math.max(deepest, ++open);
    else if (character === '}' || character === ']') open--;
  }
  return deepest;
}
