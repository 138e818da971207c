import { count } from '../count.ts';

// Texts of the bar with actions for selected rows, and of the dialogs that the bar opens.

const counted = {
  site: (n: number) => count(n, { one: 'сайт', few: 'сайта', many: 'сайтов' }),
  user: (n: number) => count(n, { one: 'пользователя', many: 'пользователей' }),
  policy: (n: number) =>
    count(n, { one: 'политику доступа', few: 'политики доступа', many: 'политик доступа' }),
};
const refused = (n: number) => count(n, { one: 'запись', few: 'записи', many: 'записей' });
const getters = (n: number) =>
  `${n % 10 === 1 && n % 100 !== 11 ? 'получит' : 'получат'} ${count(n, { one: 'пользователь', few: 'пользователя', many: 'пользователей' })}`;

export const bulk = {
  label: 'Действия с выбранными',
  chosen: (n: number) => `Выбрано ${n}`,
  allChosen: (n: number) => `Выбраны все ${n}`,
  pageOnly: 'Только на этой странице',
  clear: 'Снять выделение',
  add: { site: 'Открыть через политику', user: 'Добавить в политику' },
  drop: 'Убрать из политики',
  check: 'Проверить сейчас',
  again: 'Пригласить снова',
  policy: 'Политика доступа',
  title: {
    add: {
      site: (n: number) => `Открыть ${counted.site(n)} через политику`,
      user: (n: number) => `Добавить ${counted.user(n)} в политику`,
    },
    remove: {
      site: (n: number) => `Убрать ${counted.site(n)} из политики`,
      user: (n: number) => `Убрать ${counted.user(n)} из политики`,
    },
  },
  submit: { add: { site: 'Открыть', user: 'Добавить' }, remove: { site: 'Убрать', user: 'Убрать' } },
  done: { add: 'Добавлено в политику', remove: 'Убрано из политики' },
  gained: (sites: number, users: number) =>
    `Доступ к ${count(sites, { one: 'сайту', many: 'сайтам' })} ${getters(users)}.`,
  gainedAll: (users: number) => `Доступ ко всем сайтам ${getters(users)}.`,
  same: 'Доступ ни у кого не изменится.',
  remove: {
    site: (n: number) => `Удалить ${counted.site(n)}?`,
    user: (n: number) => `Удалить ${counted.user(n)}?`,
    policy: (n: number) => `Удалить ${counted.policy(n)}?`,
  },
  checking: (n: number) => `Проверки в очереди: ${n}`,
  nobodyInvited: 'Среди выбранных нет приглашённых: все уже задали пароль',
  refusedTitle: 'Ничего не изменилось',
  refusedHint: (n: number) => `Мешает ${refused(n)}:`,
  unchoose: 'Убрать из выделения',
  partTitle: (done: number, total: number) => `Сделано ${done} из ${total}`,
  partHint: 'Остальные остались без изменений:',
  nameless: (id: number) => `№ ${id}`,
};
