import { unicodeHost } from '@propusk/contract/unicode-host';
import * as t from '@propusk/phrases/extension';
import { isExposed } from '../core/api.ts';
import { ask, type Message, type PairQuestion, type Reply } from '../core/messages.ts';
import { type Account, isSignedInAs, type State } from '../core/state.ts';
import { h, notice, show } from './dom.ts';

/**
 * Asks the user before a console and an account are trusted. Any page may pose as a console, and a real console may
 * be offered with an attacker's code; the gateway of the accepted console sees the user's traffic.
 */
async function act(message: Message): Promise<Reply> {
  for (const button of document.querySelectorAll('button')) button.disabled = true;
  return ask(message);
}

/** Milliseconds before the button works: the page can open under the pointer and receive a click meant for another page. */
const READING_MS = 1_000;

function renderQuestion({ id, origin, account }: PairQuestion, { state, pinned }: Reply): void {
  let stopCounting = () => {};
  const answer = (yes: boolean) => () => {
    stopCounting();
    void act({ type: 'pair-answer', id, yes }).then(renderOutcome(yes));
  };
  const no = (text: string) => h('button', { class: 'quiet', click: answer(false) }, text);
  if (account === null) {
    return show(
      h('h1', {}, t.pair.forbidden),
      h('p', { class: 'origin' }, unicodeHost(origin)),
      notice('error', t.pair.pinned(unicodeHost(pinned ?? ''))),
      h('div', { class: 'actions' }, no(t.pair.understood)),
    );
  }
  const yes = h('button', { class: 'primary', click: answer(true), disabled: true }, t.pair.yes);
  show(
    h('h1', {}, t.pair.question),
    h('p', {}, t.pair.account),
    renderAccount(account, origin),
    changeOfAccount(state, origin, account),
    h('p', {}, t.pair.gateway),
    h('p', { class: 'dim' }, t.pair.consent),
    isExposed(origin) ? notice('warning', t.pair.exposed) : null,
    h('div', { class: 'actions' }, yes, no(t.pair.no)),
  );
  stopCounting = enableWhenRead(yes);
}

/** Shows the console's texts separately from its origin, because the browser verifies only the origin. */
function renderAccount({ name, email, company }: Account, origin: string): HTMLElement {
  const row = (term: string, ...text: (string | null)[]) => [
    h('dt', {}, term),
    h('dd', {}, ...text.map((line) => (line === null ? null : h('bdi', {}, line)))),
  ];
  const ascii = unicodeHost(origin) === origin ? null : origin;
  return h(
    'dl',
    { class: 'account' },
    ...row(t.toConsole, unicodeHost(origin), ascii),
    // A user without a name has the email as `name`: show it once.
    ...(name === email ? [] : row(t.pair.name, name)),
    ...row(t.pair.email, email),
    ...row(t.pair.company, company ?? t.pair.noCompany),
  );
}

function changeOfAccount(state: State, origin: string, account: Account): HTMLElement | null {
  const { token, person } = state;
  if (token === null || person === null || isSignedInAs(state, origin, account)) return null;
  const before = state.console ?? '';
  const who = ({ name, email }: Account, console: string) =>
    (name === email ? email : `${name} (${email})`) +
    (before === origin ? '' : t.pair.ofConsole(unicodeHost(console)));
  return notice(
    'warning',
    t.pair.accountChanges,
    t.pair.current(who(person, before)),
    t.pair.next(who(account, origin)),
  );
}

/** Enables the button when the page has been visible for READING_MS. @returns a function that cancels the timer */
function enableWhenRead(button: HTMLButtonElement): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const count = () => {
    clearTimeout(timer);
    button.disabled = true;
    if (document.visibilityState !== 'visible') return;
    timer = setTimeout(() => {
      button.disabled = false;
    }, READING_MS);
  };
  document.addEventListener('visibilitychange', count);
  count();
  return () => {
    clearTimeout(timer);
    document.removeEventListener('visibilitychange', count);
  };
}

const closing = () => h('button', { class: 'primary', click: () => window.close() }, t.pair.close);

function renderOutcome(yes: boolean): (reply: Reply) => void {
  return ({ state, error }) => {
    if (error !== undefined) return show(h('h1', {}, t.pair.failed), notice('error', error));
    if (!yes) return show(h('h1', {}, t.pair.declined), closing());
    renderSignedIn(t.pair.done, t.pair.signedInAs, state);
  };
}

function renderSignedIn(title: string, words: string, { person, console: origin, problem }: State): void {
  // No account: the session has ended.
  if (person === null) return show(h('h1', {}, t.pair.failed), notice('error', problem ?? t.pair.signedOut));
  show(
    h('h1', {}, title),
    h('p', {}, `${words}:`),
    renderAccount(person, origin ?? ''),
    problem === null ? h('p', {}, t.pair.ready) : notice('warning', problem),
    closing(),
  );
}

const reply = await act({ type: 'pair-question' });
const { question, state } = reply;
if (location.hash === '#already') {
  renderSignedIn(t.pair.already, t.pair.alreadyAs, state);
} else if (question === null || question === undefined) {
  show(h('h1', {}, t.pair.expired), h('p', {}, t.pair.expiredHint));
} else renderQuestion(question, reply);
