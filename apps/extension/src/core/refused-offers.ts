import * as z from 'zod/mini';

/** Offers that the person did not agree to: whoever made one asks no more for a while. */
const Refused = z.array(z.object({ origin: z.string(), at: z.number() }));

const KEY = 'refused-offers';
/** How long an origin is silent, in minutes. The console's page names it. */
const SILENT_MINUTES = 5;
/** From how many in twice that time nobody asks: a page has as many origins as it likes. */
const TOO_MANY = 3;

async function read(): Promise<z.infer<typeof Refused>> {
  const { [KEY]: stored } = await chrome.storage.local.get(KEY);
  const refused = Refused.safeParse(stored);
  const since = Date.now() - 2 * SILENT_MINUTES * 60_000;
  return refused.success ? refused.data.filter(({ at }) => at > since) : [];
}

/** Notes that an origin was refused, or waited for its answer in vain. @param at milliseconds since 1970 */
export async function noteRefused(origin: string, at: number): Promise<void> {
  await chrome.storage.local.set({ [KEY]: [...(await read()), { origin, at }] });
}

/** Whether an origin may not ask now. */
export async function isSilent(origin: string): Promise<boolean> {
  const refused = await read();
  const since = Date.now() - SILENT_MINUTES * 60_000;
  return refused.length >= TOO_MANY || refused.some((one) => one.origin === origin && one.at > since);
}

/** Begins anew: the person has agreed to somebody. */
export const forgetRefused = (): Promise<void> => chrome.storage.local.remove(KEY);
