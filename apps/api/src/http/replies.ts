import { Readable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import * as z from 'zod/mini';

/** Milliseconds for which the serialization of a long array may block the event loop. */
const SLICE_MS = 10;
/** A reply of at least this many characters is sent in pieces. */
const WHOLE = 1_000_000;

/**
 * Serializes an array as `serialize` does, but element by element, and lets other calls run in between.
 * @returns the text; a stream for a long text, because encoding a long string would block the event loop
 */
export async function serializeList(
  endpoint: { schema: z.ZodMiniArray; method: string; url: string },
  answers: readonly unknown[],
): Promise<string | Readable> {
  const element = serialize({ ...endpoint, schema: endpoint.schema._zod.def.element as z.ZodMiniType });
  const pieces: string[] = [];
  let length = 0;
  let began = performance.now();
  for (const [i, answer] of answers.entries()) {
    const piece = `${i === 0 ? '[' : ','}${element(answer)}`;
    pieces.push(piece);
    length += piece.length;
    if (performance.now() - began < SLICE_MS) continue;
    await nextTurn();
    began = performance.now();
  }
  pieces.push(answers.length === 0 ? '[]' : ']');
  return length < WHOLE ? pieces.join('') : Readable.from(inTurns(pieces));
}

/** Yields one piece of a reply per turn of the event loop. Otherwise a socket would encode up to 16 MB in one turn. */
async function* inTurns(pieces: readonly string[]): AsyncGenerator<string> {
  for (const piece of pieces) {
    yield piece;
    await nextTurn();
  }
}

/**
 * Serializes a reply by its schema, and drops the fields that the schema does not declare.
 * @throws Error when the handler's answer does not match the schema (answered as 500)
 */
export function serialize({ schema, method, url }: { schema: z.ZodMiniType; method: string; url: string }) {
  return (answer: unknown): string => {
    const reply = z.safeEncode(schema, answer);
    if (reply.success) return JSON.stringify(reply.data);
    throw new Error(`the reply of ${method} ${url} does not match its schema`, { cause: reply.error });
  };
}
