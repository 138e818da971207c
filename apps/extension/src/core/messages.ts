import * as z from 'zod/mini';
import { Account, State } from './state.ts';

/** What pages of the extension, and the script on the console's pairing page, ask of the worker. */
export const Message = z.discriminatedUnion('type', [
  z.object({ type: z.literal('status') }),
  z.object({ type: z.literal('refresh') }),
  z.object({
    type: z.literal('sign-in'),
    console: z.string(),
    email: z.string(),
    password: z.string(),
    code: z.optional(z.string()),
  }),
  z.object({ type: z.literal('sign-out') }),
  /** From a web page: nothing of it is believed but the code, and that goes to the page's own origin only. */
  z.object({ type: z.literal('pair-request'), code: z.string() }),
  z.object({ type: z.literal('pair-question') }),
  z.object({ type: z.literal('pair-answer'), id: z.string(), yes: z.boolean() }),
]);
export type Message = z.infer<typeof Message>;

/** What the person is asked before a console is trusted. */
export const PairQuestion = z.object({
  id: z.string(),
  origin: z.string(),
  /** Whose session it would be; null: the company's policy names another console, and there is nothing to agree to. */
  account: z.nullable(Account),
});
export type PairQuestion = z.infer<typeof PairQuestion>;

/** The worker's answer: the state as it is now, and what went wrong. */
export const Reply = z.object({
  state: State,
  error: z.optional(z.string()),
  /** Email and password are right; a code of the second factor is to come with them. */
  codeNeeded: z.optional(z.boolean()),
  /** The console that the company's policy names: no other may be used. */
  pinned: z.nullable(z.string()),
  question: z.optional(z.nullable(PairQuestion)),
});
export type Reply = z.infer<typeof Reply>;

/** Asks the worker. @throws Error when the worker does not answer as it should */
export async function ask(message: Message): Promise<Reply> {
  return Reply.parse(await chrome.runtime.sendMessage(message));
}
