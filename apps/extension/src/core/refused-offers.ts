import * as z from 'zod/mini';

/** Refused offers: further offers of their origins are ignored for a while. */
const Refused = z.array(z.object({ origin: z.string(), at: z.number() }));

const KEY = 'refused-offers';
/** Offers of a refused origin are ignored for this many minutes. The console's page states the number. */
const SILENT_MINUTES = 5;
/** After this many refusals within 2 × SILENT_MINUTES, all offers are ignored: an attacker can use many origins. */
const TOO_MANY = 3;

async function read(): Promise<z.infer<typeof Refused>> {
  const { [KEY]: stored } = await chrome.storage.local.get(KEY);
  const refused = Refused.safeParse(stored);
  const since = Date.now() - 2 * SILENT_MINUTES * 60_000;
  return refused.success ? refused.data.filter(({ at }) => at > since) : [];
}

/** Records a refused or expired offer. @param at milliseconds since 1970 */
export async function noteRefused(origin: string, at: number): Promise<void> {
  await chrome.storage.local.set({ [KEY]: [...(await read()), { origin, at }] });
}

/** Whether an origin's offers are ignored now. */
export async function isSilent(origin: string): Promise<boolean> {
  const refused = await read();
  const since = Date.now() - SILENT_MINUTES * 60_000;
  return refused.length >= TOO_MANY || refused.some((one) => one.origin === origin && one.at > since);
}

/** Clears the refusals after the user accepted an offer. */
export const forgetRefused = (): Promise<void> => chrome.storage.local.remove(KEY);
