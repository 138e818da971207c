import * as z from 'zod/mini';
import { Account, State } from './state.ts';

/** Messages of the extension's pages and of the content script to the worker. */
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
  /** Sent by a web page. The worker uses only `code`, and sends it only to the page's own origin. */
  z.object({ type: z.literal('pair-request'), code: z.string() }),
  /** Sent by the content script. The reply is the extension's id, or null when the page is not of the user's own console. */
  z.object({ type: z.literal('id-request') }),
  z.object({ type: z.literal('pair-question') }),
  z.object({ type: z.literal('pair-answer'), id: z.string(), yes: z.boolean() }),
]);
export type Message = z.infer<typeof Message>;

/** The question whether the user trusts a console. */
export const PairQuestion = z.object({
  id: z.string(),
  origin: z.string(),
  /** The account of the offered session; null when the browser policy names another console. */
  account: z.nullable(Account),
});
export type PairQuestion = z.infer<typeof PairQuestion>;

/** The worker's reply: the current state and the failure, if any. */
export const Reply = z.object({
  state: State,
  error: z.optional(z.string()),
  /** Email and password are correct; the second factor's code is missing. */
  codeNeeded: z.optional(z.boolean()),
  /** The only console that the browser policy allows; null without a policy. */
  pinned: z.nullable(z.string()),
  question: z.optional(z.nullable(PairQuestion)),
});
export type Reply = z.infer<typeof Reply>;

/** Sends a message to the worker. @throws Error when the reply is malformed */
export async function ask(message: Message): Promise<Reply> {
  return Reply.parse(await chrome.runtime.sendMessage(message));
}
