import * as z from 'zod/mini';

/**
 * Serializes a reply by its schema, which drops undeclared fields.
 * @throws Error when the handler's answer does not match the schema (answered as 500)
 */
export function serialize({ schema, method, url }: { schema: z.ZodMiniType; method: string; url: string }) {
  return (answer: unknown): string => {
    const reply = z.safeEncode(schema, answer);
    if (reply.success) return JSON.stringify(reply.data);
    throw new Error(`the reply of ${method} ${url} does not match its schema`, { cause: reply.error });
  };
}
