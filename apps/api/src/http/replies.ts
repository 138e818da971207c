import * as z from 'zod/mini';

/**
 * Writes a reply by its schema: what is not declared does not leave.
 * @throws Error when a handler's answer does not fit, which is our mistake and not the caller's
 */
export function serialize({ schema, method, url }: { schema: z.ZodMiniType; method: string; url: string }) {
  return (answer: unknown): string => {
    const reply = z.safeEncode(schema, answer);
    if (reply.success) return JSON.stringify(reply.data);
    throw new Error(`the reply of ${method} ${url} does not fit its schema`, { cause: reply.error });
  };
}
