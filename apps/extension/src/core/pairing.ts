import * as t from '@propusk/phrases/extension';
import * as z from 'zod/mini';
import { CallFailed } from './api.ts';
import { createLine } from './line.ts';
import { PairQuestion } from './messages.ts';
import { forgetRefused, isSilent, noteRefused } from './refused-offers.ts';
import type { Session } from './session.ts';

/** Signing in by the code of a console's page: whose session it would be is found out first, then the person is asked. */
export interface Pairing {
  /** Takes the offer of a page. Only an offer whose code works makes a question, and only one question waits. */
  offer(origin: string, code: string, tabId: number): Promise<void>;
  /** What the person is being asked. */
  question(): Promise<PairQuestion | null>;
  /** @throws CallFailed with a sentence for the person */
  answer(id: string, yes: boolean): Promise<void>;
}

/** A question that waits, with the session that it is about. */
const Waiting = z.object({
  ...PairQuestion.shape,
  /** Of the session; null where there is nothing to agree to. */
  token: z.nullable(z.string()),
  /** The tab of the console's page, and that of the question. */
  tabId: z.number(),
  pageTab: z.number(),
  askedAt: z.number(),
});
type Waiting = z.infer<typeof Waiting>;
type Asked = Pick<Waiting, 'origin' | 'account' | 'token' | 'tabId'>;

/** How a page learns what became of its offer. */
type Outcome = 'yes' | 'refused' | 'failed';

/** How long a question stands, in minutes. */
const QUESTION_MINUTES = 2;
const QUESTION = 'question';

/** Registers its listeners at once, as a worker has to. */
export function createPairing(session: Session, pinned: () => Promise<string | null>): Pairing {
  const page = chrome.runtime.getURL('pair.html');
  const inTurn = createLine();
  // grows: by pages, by offers; bound: one number for each open tab; at the bound: does not grow; test: none
  const trying = new Set<number>();

  chrome.tabs.onRemoved.addListener((tabId) => void dismiss('refused', ({ pageTab }) => pageTab === tabId));
  chrome.tabs.onUpdated.addListener((tabId, { url }) => {
    // A tab begins as about:blank.
    if (url !== undefined && !url.startsWith(page) && !url.startsWith('about:')) {
      void dismiss('refused', ({ pageTab }) => pageTab === tabId);
    }
  });
  chrome.alarms.onAlarm.addListener(({ name }) => {
    if (name === QUESTION) void expire();
  });
  // What waited when the browser was closed had its tab closed too; nobody has refused it.
  const forget = () => void dismiss('refused', () => true).then(() => forgetRefused());
  chrome.runtime.onStartup.addListener(forget);
  chrome.runtime.onInstalled.addListener(forget);

  async function consider(origin: string, code: string, tabId: number): Promise<void> {
    const found = await inTurn(read);
    const over = found !== null && isOver(found);
    if (over) await expire();
    const waiting = over ? null : found;
    if (waiting !== null) {
      // The page whose question waits was only loaded again.
      if (waiting.tabId !== tabId || waiting.origin !== origin) await tell(origin, tabId, 'failed');
      return;
    }
    // A page that was refused could ask until the person gives in. Its console is not called either.
    if (await isSilent(origin)) return tell(origin, tabId, 'refused');
    const only = await pinned();
    if (only !== null && only !== origin) {
      await inTurn(() => ask({ origin, account: null, token: null, tabId }));
      return;
    }
    const redeemed = await session.redeem(origin, code);
    if (await session.isAlready(redeemed)) {
      await session.leave(redeemed);
      // Leaving ended the person's gateway passwords, ours among them.
      await session.refresh();
      await tell(origin, tabId, 'yes');
      await open(tabId, `${page}#already`);
      return;
    }
    if (await inTurn(() => ask({ ...redeemed, tabId }))) return;
    await session.leave(redeemed);
    await tell(origin, tabId, 'failed');
  }

  /** Opens the question. @returns false where another waits, or the page that offered is gone */
  async function ask(asked: Asked): Promise<boolean> {
    if ((await read()) !== null) return false;
    const pageTab = await open(asked.tabId, page);
    if (pageTab === null) return false;
    const { origin, account, token, tabId } = asked;
    const id = crypto.randomUUID();
    const waiting: Waiting = { id, origin, account, token, tabId, pageTab, askedAt: Date.now() };
    // On disk, for a session that nobody agreed to is to be ended even when the browser was closed over the question.
    await chrome.storage.local.set({ [QUESTION]: waiting });
    await chrome.alarms.create(QUESTION, { delayInMinutes: QUESTION_MINUTES });
    return true;
  }

  /** Takes the waiting question away, if it is the one that is meant. */
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
    // A browser that slept over the question notices late.
    await noteRefused(origin, Math.min(Date.now(), askedAt + QUESTION_MINUTES * 60_000));
    await tell(origin, tabId, outcome);
    // Of the person who is signed in here nothing ends.
    if (token !== null) await session.leave({ origin, token });
    return waiting;
  }

  async function expire(): Promise<void> {
    const waiting = await dismiss('failed', () => true);
    // An offer that comes again and again is not to heap up tabs.
    if (waiting !== null) await chrome.tabs.remove(waiting.pageTab).catch(() => {});
  }

  return {
    async offer(origin, code, tabId) {
      if (trying.has(tabId)) return;
      trying.add(tabId);
      try {
        await consider(origin, code, tabId);
      } catch {
        // No tab and no focus for a page that is no console, or a code that is over: the page itself says so.
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

/** A browser that slept may ring the alarm late. */
const isOver = ({ askedAt }: Waiting) => Date.now() - askedAt > QUESTION_MINUTES * 60_000;

/** Opens a page of ours beside the one that offers. It comes to the front only where that one is. */
async function open(tabId: number, url: string): Promise<number | null> {
  const tab = await chrome.tabs.get(tabId).catch(() => null);
  if (tab === null) return null;
  // Pages of extensions live in no private window.
  const beside = tab.incognito ? {} : { windowId: tab.windowId, openerTabId: tabId };
  const opened = await chrome.tabs.create({ url, active: tab.active, ...beside });
  return opened.id ?? null;
}

/** Tells the page that offered; one that has taken its place in the tab learns nothing. */
async function tell(origin: string, tabId: number, paired: Outcome): Promise<void> {
  const tab = await chrome.tabs.get(tabId).catch(() => null);
  if (tab?.url === undefined || new URL(tab.url).origin !== origin) return;
  await chrome.tabs.sendMessage(tabId, { paired }).catch(() => {});
}
