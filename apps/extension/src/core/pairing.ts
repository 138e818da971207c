import * as t from '@propusk/phrases/extension';
import * as z from 'zod/mini';
import { CallFailed } from './api.ts';
import { createLine } from './line.ts';
import { PairQuestion } from './messages.ts';
import { forgetRefused, isSilent, noteRefused } from './refused-offers.ts';
import type { Session } from './session.ts';

/**
 * Pairing: signs in with a code that a console's page offers. The worker first redeems the code to learn the account,
 * then asks the user for consent.
 */
export interface Pairing {
  /** Handles a page's offer. Only a valid code opens a question, and only one question is open at a time. */
  offer(origin: string, code: string, tabId: number): Promise<void>;
  /** The question that the user has not answered yet. */
  question(): Promise<PairQuestion | null>;
  /** @throws CallFailed with a sentence for the user */
  answer(id: string, yes: boolean): Promise<void>;
}

/** The unanswered question, with the session that it offers. */
const Waiting = z.object({
  ...PairQuestion.shape,
  /** The token of the offered session; null when the browser policy forbids the console. */
  token: z.nullable(z.string()),
  /** `tabId` is the tab of the console's page, `pageTab` the tab of the question. */
  tabId: z.number(),
  pageTab: z.number(),
  askedAt: z.number(),
});
type Waiting = z.infer<typeof Waiting>;
type Asked = Pick<Waiting, 'origin' | 'account' | 'token' | 'tabId'>;

/** The outcome of an offer, which the console's page receives. */
type Outcome = 'yes' | 'refused' | 'failed';

/** Minutes in which the user can answer the question. */
const QUESTION_MINUTES = 2;
const QUESTION = 'question';

/** Creates the pairing. Call it synchronously when the worker starts, to receive the event that woke the worker. */
export function createPairing(session: Session, pinned: () => Promise<string | null>): Pairing {
  const page = chrome.runtime.getURL('pair.html');
  const inTurn = createLine();
  // Grows with offers of pages. Bound: one entry for each open tab. At the bound: a tab's further offers are ignored
  const trying = new Set<number>();

  chrome.tabs.onRemoved.addListener((tabId) => void dismiss('refused', ({ pageTab }) => pageTab === tabId));
  chrome.tabs.onUpdated.addListener((tabId, { url }) => {
    // A new tab reports about:blank before its page.
    if (url !== undefined && !url.startsWith(page) && !url.startsWith('about:')) {
      void dismiss('refused', ({ pageTab }) => pageTab === tabId);
    }
  });
  chrome.alarms.onAlarm.addListener(({ name }) => {
    if (name === QUESTION) void expire();
  });
  // Closing the browser closes the question's tab, but is no refusal: clear the refusals at the next start.
  const forget = () => void dismiss('refused', () => true).then(() => forgetRefused());
  chrome.runtime.onStartup.addListener(forget);
  chrome.runtime.onInstalled.addListener(forget);

  async function consider(origin: string, code: string, tabId: number): Promise<void> {
    const found = await inTurn(read);
    const over = found !== null && isOver(found);
    if (over) await expire();
    const waiting = over ? null : found;
    if (waiting !== null) {
      // A reload of the offering page repeats its offer: keep the question open.
      if (waiting.tabId !== tabId || waiting.origin !== origin) await tell(origin, tabId, 'failed');
      return;
    }
    // Ignore new offers of a refused origin: a page could repeat its offer until the user gives in.
    if (await isSilent(origin)) return tell(origin, tabId, 'refused');
    const only = await pinned();
    if (only !== null && only !== origin) {
      await inTurn(() => ask({ origin, account: null, token: null, tabId }));
      return;
    }
    const redeemed = await session.redeem(origin, code);
    if (await session.isAlready(redeemed)) {
      await session.leave(redeemed);
      // The logout revoked every gateway password of the user, so fetch a new one.
      await session.refresh();
      await tell(origin, tabId, 'yes');
      await open(tabId, `${page}#already`);
      return;
    }
    if (await inTurn(() => ask({ ...redeemed, tabId }))) return;
    await session.leave(redeemed);
    await tell(origin, tabId, 'failed');
  }

  /** Opens the question's tab. @returns false when another question is open or the offering tab is closed */
  async function ask(asked: Asked): Promise<boolean> {
    if ((await read()) !== null) return false;
    const pageTab = await open(asked.tabId, page);
    if (pageTab === null) return false;
    const { origin, account, token, tabId } = asked;
    const id = crypto.randomUUID();
    const waiting: Waiting = { id, origin, account, token, tabId, pageTab, askedAt: Date.now() };
    // Stored on disk, so that an offered session is ended even after the browser was closed.
    await chrome.storage.local.set({ [QUESTION]: waiting });
    await chrome.alarms.create(QUESTION, { delayInMinutes: QUESTION_MINUTES });
    return true;
  }

  /** Removes the open question and returns it, if `isMeant` accepts it. */
  const take = (isMeant: (waiting: Waiting) => boolean): Promise<Waiting | null> =>
    inTurn(async () => {
      const waiting = await read();
      if (waiting === null || !isMeant(waiting)) return null;
      await chrome.storage.local.remove(QUESTION);
      await chrome.alarms.clear(QUESTION);
      return waiting;
    });

  async function dismiss(outcome: Outcome, isMeant: (waiting: Waiting) => boolean): Promise<Waiting | null> {
    const waiting = await take(isMeant);
    if (waiting === null) return null;
    const { origin, token, tabId, askedAt } = waiting;
    // The alarm fires late after a suspend: the refusal counts from the question's time limit.
    await noteRefused(origin, Math.min(Date.now(), askedAt + QUESTION_MINUTES * 60_000));
    await tell(origin, tabId, outcome);
    // End only the offered session: the signed-in session stays.
    if (token !== null) await session.leave({ origin, token });
    return waiting;
  }

  async function expire(): Promise<void> {
    const waiting = await dismiss('failed', () => true);
    // Repeated offers must not accumulate tabs.
    if (waiting !== null) await chrome.tabs.remove(waiting.pageTab).catch(() => {});
  }

  return {
    async offer(origin, code, tabId) {
      if (trying.has(tabId)) return;
      trying.add(tabId);
      try {
        await consider(origin, code, tabId);
      } catch {
        // No tab opens for an invalid console or code: the page shows the failure.
        await tell(origin, tabId, 'failed');
      } finally {
        trying.delete(tabId);
      }
    },
    async question() {
      const waiting = await inTurn(read);
      return waiting === null || isOver(waiting) ? null : PairQuestion.parse(waiting);
    },
    async answer(id, yes) {
      if (!yes) return void (await dismiss('refused', (waiting) => waiting.id === id));
      const waiting = await take((asked) => asked.id === id);
      if (waiting === null || waiting.account === null || waiting.token === null) {
        throw new CallFailed(0, t.failures.questionExpired);
      }
      const { origin, account, token, tabId } = waiting;
      try {
        await session.enter({ origin, token, account });
      } catch (error) {
        await tell(origin, tabId, 'failed');
        await session.leave({ origin, token });
        throw error;
      }
      await forgetRefused();
      await tell(origin, tabId, 'yes');
    },
  };
}

async function read(): Promise<Waiting | null> {
  const { [QUESTION]: stored } = await chrome.storage.local.get(QUESTION);
  const waiting = Waiting.safeParse(stored);
  return waiting.success ? waiting.data : null;
}

/** Compares the time, because the alarm fires late after a suspend. */
const isOver = ({ askedAt }: Waiting) => Date.now() - askedAt > QUESTION_MINUTES * 60_000;

/** Opens an extension page beside the offering tab, in the foreground only if the offering tab is in the foreground. */
async function open(tabId: number, url: string): Promise<number | null> {
  const tab = await chrome.tabs.get(tabId).catch(() => null);
  if (tab === null) return null;
  // Extension pages cannot open in a private window.
  const beside = tab.incognito ? {} : { windowId: tab.windowId, openerTabId: tabId };
  const opened = await chrome.tabs.create({ url, active: tab.active, ...beside });
  return opened.id ?? null;
}

/** Reports the outcome to the offering page, unless the tab has moved to another origin. */
async function tell(origin: string, tabId: number, paired: Outcome): Promise<void> {
  const tab = await chrome.tabs.get(tabId).catch(() => null);
  if (tab?.url === undefined || new URL(tab.url).origin !== origin) return;
  await chrome.tabs.sendMessage(tabId, { paired }).catch(() => {});
}
