import { unicodeHost } from '@propusk/contract/unicode-host';
import { isExposed } from '../core/api.ts';
import { ask, type Message, type PairQuestion, type Reply } from '../core/messages.ts';
import { type Account, isSignedInAs, type State } from '../core/state.ts';
import { h, notice, show } from './dom.ts';

/**
 * Asks before a console and an account are trusted. Any page may offer itself as a console, and a real one may be offered
 * with somebody else's code; whoever is trusted sees where the person goes.
 */
async function act(message: Message): Promise<Reply> {
  for (const button of document.querySelectorAll('button')) button.disabled = true;
  return ask(message);
}

/** A page that comes up under a click takes it; nobody reads a question faster than this. */
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
      h('h1', {}, 'Эту консоль подключить нельзя'),
      h('p', { class: 'origin' }, unicodeHost(origin)),
      notice('error', `Администратор компании разрешил только консоль ${unicodeHost(pinned ?? '')}.`),
      h('div', { class: 'actions' }, no('Понятно')),
    );
  }
  const yes = h('button', { class: 'primary', click: answer(true), disabled: true }, 'Подключить');
  show(
    h('h1', {}, 'Подключить расширение?'),
    h('p', {}, 'Вы войдёте в него под этой учётной записью:'),
    renderAccount(account, origin),
    changeOfAccount(state, origin, account),
    h(
      'p',
      {},
      'Шлюз этой консоли будет соединять вас с сайтами компании и увидит, что вы через него открываете.',
    ),
    h(
      'p',
      { class: 'dim' },
      'Соглашайтесь, только если вы сами нажали «Войти в расширение» и это ваша учётная запись.',
    ),
    isExposed(origin) ? notice('warning', 'Соединение с этой консолью не зашифровано.') : null,
    h('div', { class: 'actions' }, yes, no('Не подключать')),
  );
  stopCounting = enableWhenRead(yes);
}

/** What a console says of the account stands apart from what the browser knows: the origin. */
function renderAccount({ name, email, company }: Account, origin: string): HTMLElement {
  const row = (term: string, ...text: (string | null)[]) => [
    h('dt', {}, term),
    h('dd', {}, ...text.map((line) => (line === null ? null : h('bdi', {}, line)))),
  ];
  const ascii = unicodeHost(origin) === origin ? null : origin;
  return h(
    'dl',
    { class: 'account' },
    ...row('Консоль', unicodeHost(origin), ascii),
    // Who gave no name goes by the address.
    ...(name === email ? [] : row('Имя', name)),
    ...row('Почта', email),
    ...row('Компания', company ?? 'без компании'),
  );
}

function changeOfAccount(state: State, origin: string, account: Account): HTMLElement | null {
  const { token, person } = state;
  if (token === null || person === null || isSignedInAs(state, origin, account)) return null;
  const before = state.console ?? '';
  const who = ({ name, email }: Account, console: string) =>
    (name === email ? email : `${name} (${email})`) +
    (before === origin ? '' : `, консоль ${unicodeHost(console)}`);
  return notice(
    'warning',
    'Учётная запись сменится.',
    `Сейчас: ${who(person, before)}.`,
    `Будет: ${who(account, origin)}.`,
  );
}

/** Counts anew each time that the page comes into sight. @returns ends it */
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

const canClose = () => h('p', { class: 'dim' }, 'Эту вкладку можно закрыть.');

function renderOutcome(yes: boolean): (reply: Reply) => void {
  return ({ state, error }) => {
    if (error !== undefined) return show(h('h1', {}, 'Не получилось'), notice('error', error));
    if (!yes) return show(h('h1', {}, 'Не подключено'), canClose());
    renderSignedIn('Готово', 'Вы вошли как', state);
  };
}

function renderSignedIn(title: string, words: string, { person, console: origin, problem }: State): void {
  // The session may be over by now, and a person without a company has no sites.
  if (person === null)
    return show(h('h1', {}, 'Не получилось'), notice('error', problem ?? 'Вход завершён.'));
  show(
    h('h1', {}, title),
    h('p', {}, `${words}:`),
    renderAccount(person, origin ?? ''),
    problem === null
      ? h(
          'p',
          {},
          'Защищённые сайты компании открываются в этом браузере. Их состояние показывает значок «Пропуска».',
        )
      : notice('warning', problem),
    canClose(),
  );
}

const reply = await act({ type: 'pair-question' });
const { question, state } = reply;
if (location.hash === '#already') {
  renderSignedIn('Вы уже вошли', 'Расширение уже подключено под этой учётной записью', state);
} else if (question === null || question === undefined) {
  show(
    h('h1', {}, 'Вопрос устарел'),
    h('p', {}, 'Нажмите «Войти в расширение» в личном кабинете консоли ещё раз.'),
  );
} else renderQuestion(question, reply);
