import { isExposed } from '../core/api.ts';
import { ask, type Message, type PairQuestion, type Reply } from '../core/messages.ts';
import { h, notice, show } from './dom.ts';

/**
 * Asks before a console is trusted. Any page may offer itself as one, and whoever is trusted sees where the person goes:
 * its gateway becomes the browser's proxy.
 */
async function act(message: Message): Promise<Reply> {
  for (const button of document.querySelectorAll('button')) button.disabled = true;
  return ask(message);
}

function renderQuestion({ id, origin }: PairQuestion, { state, pinned }: Reply): void {
  const answer = (yes: boolean) => () => void act({ type: 'pair-answer', id, yes }).then(renderOutcome(yes));
  const refused = pinned !== null && pinned !== origin;
  show(
    h('h1', {}, 'Подключить расширение?'),
    h('p', {}, 'Консоль по адресу'),
    h('p', { class: 'origin' }, origin),
    h(
      'p',
      {},
      'хочет подключить это расширение. Её шлюз будет соединять вас с защищёнными сайтами компании.',
    ),
    h(
      'p',
      { class: 'dim' },
      'Соглашайтесь, только если вы сами нажали «Войти в расширение» и узнаёте этот адрес.',
    ),
    isExposed(origin) ? notice('warning', 'Соединение с этой консолью не зашифровано.') : null,
    state.token !== null && state.console !== origin
      ? notice('warning', `Сейчас подключена консоль ${state.console}. Новая займёт её место.`)
      : null,
    refused ? notice('error', `Администратор компании разрешил только консоль ${pinned}.`) : null,
    h(
      'div',
      { class: 'actions' },
      h('button', { class: 'primary', click: answer(true), disabled: refused }, 'Подключить'),
      h('button', { class: 'quiet', click: answer(false) }, 'Не подключать'),
    ),
  );
}

function renderOutcome(yes: boolean): (reply: Reply) => void {
  return ({ state, error }) => {
    if (error !== undefined) return show(h('h1', {}, 'Не получилось'), notice('error', error));
    if (!yes) return show(h('h1', {}, 'Не подключено'), h('p', {}, 'Эту вкладку можно закрыть.'));
    show(
      h('h1', {}, 'Готово'),
      h(
        'p',
        {},
        `Вы вошли как ${state.person?.name ?? ''}. Защищённые сайты компании открываются в этом браузере.`,
      ),
      h(
        'p',
        { class: 'dim' },
        'Эту вкладку можно закрыть. Состояние сайтов показывает значок «Пропуска» на панели браузера.',
      ),
    );
  };
}

const reply = await act({ type: 'pair-question' });
const { question } = reply;
if (question === null || question === undefined) {
  show(
    h('h1', {}, 'Вопрос устарел'),
    h('p', {}, 'Нажмите «Войти в расширение» в личном кабинете консоли ещё раз.'),
  );
} else renderQuestion(question, reply);
