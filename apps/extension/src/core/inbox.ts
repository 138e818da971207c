import { CallFailed } from './api.ts';
import { Message, PairQuestion, type Reply } from './messages.ts';
import type { Session } from './session.ts';
import type { Store } from './store.ts';

/** How long a question to the person stands, in milliseconds: the code lives a minute. */
const QUESTION_MS = 2 * 60_000;

/** Answers the extension's own pages, and takes the wish of a console's page to be connected. */
export function answerMessages(store: Store, session: Session, pinned: () => Promise<string | null>): void {
  chrome.runtime.onMessage.addListener((given: unknown, sender, reply: (answer: unknown) => void) => {
    const read = Message.safeParse(given);
    if (!read.success || sender.id !== chrome.runtime.id) return false;
    const message = read.data;
    const ownPage = sender.url?.startsWith(chrome.runtime.getURL('')) === true;
    if (message.type === 'pair-request') {
      // What a web page says of itself is not asked for: the browser knows where it came from.
      if (sender.tab?.id === undefined || sender.url === undefined || sender.frameId !== 0) return false;
      void askPerson(new URL(sender.url).origin, message.code, sender.tab.id);
      return false;
    }
    if (!ownPage) return false;
    void handle(message).then(reply);
    return true;
  });

  async function handle(message: Exclude<Message, { type: 'pair-request' }>): Promise<Reply> {
    let error: string | undefined;
    let question: PairQuestion | null = null;
    try {
      switch (message.type) {
        case 'status':
          break;
        case 'refresh':
          await Promise.all([session.refresh(), session.probe()]);
          break;
        case 'sign-in':
          await session.signIn(message.console, message.email, message.password);
          break;
        case 'sign-out':
          await session.signOut();
          break;
        case 'pair-question':
          question = await readQuestion();
          break;
        case 'pair-answer':
          await answerPairing(message.id, message.yes);
          break;
      }
    } catch (failure) {
      error = failure instanceof CallFailed ? failure.message : 'Что-то пошло не так. Попробуйте ещё раз';
    }
    return {
      state: await store.get(),
      pinned: await pinned().catch(() => null),
      question,
      ...(error !== undefined && { error }),
    };
  }

  async function askPerson(origin: string, code: string, tabId: number): Promise<void> {
    const question: PairQuestion = { id: crypto.randomUUID(), origin, code, tabId, askedAt: Date.now() };
    await chrome.storage.session.set({ question });
    // One question at a time: the newer one takes the place of the older in the same tab.
    const page = chrome.runtime.getURL('pair.html');
    const [open] = await chrome.tabs.query({ url: page });
    if (open?.id !== undefined) await chrome.tabs.update(open.id, { active: true, url: page });
    else await chrome.tabs.create({ url: page, openerTabId: tabId });
    if (open?.id !== undefined) await chrome.tabs.reload(open.id);
  }

  async function answerPairing(id: string, yes: boolean): Promise<void> {
    const question = await readQuestion();
    await chrome.storage.session.remove('question');
    if (question === null || question.id !== id) {
      throw new CallFailed(0, 'Вопрос устарел. Нажмите «Войти в расширение» в консоли ещё раз');
    }
    const { origin, code, tabId } = question;
    const tell = (paired: string) => chrome.tabs.sendMessage(tabId, { paired }).catch(() => {});
    if (!yes) return void (await tell('refused'));
    try {
      await session.pair(origin, code);
    } catch (error) {
      await tell('failed');
      throw error;
    }
    await tell('yes');
  }
}

async function readQuestion(): Promise<PairQuestion | null> {
  const { question } = await chrome.storage.session.get('question');
  const read = PairQuestion.safeParse(question);
  return read.success && Date.now() - read.data.askedAt < QUESTION_MS ? read.data : null;
}
