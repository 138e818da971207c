import { limits } from '@propusk/contract/limits';
import type { FastifyInstance } from 'fastify';
import { AppError } from '../core/errors.ts';

/**
 * Reads bodies as JSON and as nothing else: a form of another site can send text/plain without asking first (CORS). A
 * body that nests deeper than the limit is refused before it is parsed; `__proto__` and `constructor` keys are refused.
 */
export function readJsonBodies(app: FastifyInstance): void {
  const parse = app.getDefaultJsonParser('error', 'error');
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (request, body, done) => {
    const text = String(body);
    // Some clients name the type with every request, a DELETE without a body too.
    if (text === '' && request.routeOptions.schema?.body === undefined) return done(null, undefined);
    if (depth(text) > limits.depth) return done(new AppError('too_deep'));
    void parse(request, text, (error, value) =>
      error === null ? done(null, withoutNulls(value)) : done(new AppError('bad_json')),
    );
  });
}

/**
 * A body in which `null` is absent: forms send it for what nobody has filled in, and no field of ours means anything by
 * it. A null in a list stays, to be refused by its place.
 */
function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (typeof value !== 'object' || value === null) return value;
  const given = Object.entries(value).filter(([, part]) => part !== null);
  return Object.fromEntries(given.map(([key, part]) => [key, withoutNulls(part)]));
}

/** How deep lists and objects nest in a text of JSON: a count of brackets outside strings, without recursion. */
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
