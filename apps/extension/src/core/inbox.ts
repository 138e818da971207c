import * as t from '@propusk/phrases/extension';
import { CallFailed } from './api.ts';
import { Message, type PairQuestion, type Reply } from './messages.ts';
import { createPairing } from './pairing.ts';
import type { Session } from './session.ts';
import type { Store } from './store.ts';

/** Handles messages of the extension's pages, and pairing requests of a console's page. */
export function answerMessages(store: Store, session: Session, pinned: () => Promise<string | null>): void {
  const pairing = createPairing(session, pinned);
  chrome.runtime.onMessage.addListener((given: unknown, sender, reply: (answer: unknown) => void) => {
    const read = Message.safeParse(given);
    if (!read.success || sender.id !== chrome.runtime.id) return false;
    const message = read.data;
    const ownPage = sender.url?.startsWith(chrome.runtime.getURL('')) === true;
    if (message.type === 'pair-request' || message.type === 'id-request') {
      // Uses the sender URL from the browser, because a page could send a false one.
      if (sender.tab?.id === undefined || sender.url === undefined || sender.frameId !== 0) return false;
      const { origin } = new URL(sender.url);
      if (message.type === 'pair-request') {
        void pairing.offer(origin, message.code, sender.tab.id);
        return false;
      }
      void isOwnConsole(origin).then((isOwn) => reply(isOwn ? chrome.runtime.id : null));
      return true;
    }
    if (!ownPage) return false;
    void handle(message).then(reply);
    return true;
  });

  /** Whether an origin is the user's console. Other sites must not learn the id, because it reveals the company. */
  async function isOwnConsole(origin: string): Promise<boolean> {
    return origin === (await store.get()).console || origin === (await pinned().catch(() => null));
  }

  async function handle(message: Exclude<Message, { type: 'pair-request' | 'id-request' }>): Promise<Reply> {
    let error: string | undefined;
    let codeNeeded = false;
    let question: PairQuestion | null = null;
    try {
      switch (message.type) {
        case 'status':
          break;
        case 'refresh':
          await Promise.all([session.refresh(), session.probe()]);
          break;
        case 'sign-in':
          await session.signIn(message.console, message);
          break;
        case 'sign-out':
          await session.signOut();
          break;
        case 'pair-question':
          question = await pairing.question();
          break;
        case 'pair-answer':
          await pairing.answer(message.id, message.yes);
          break;
      }
    } catch (failure) {
      codeNeeded = failure instanceof CallFailed && failure.code === 'second_factor_needed';
      error = failure instanceof CallFailed ? failure.message : t.failures.unexpected;
    }
    return {
      state: await store.get(),
      pinned: await pinned().catch(() => null),
      question,
      ...(codeNeeded ? { codeNeeded } : error !== undefined && { error }),
    };
  }
}
