import type { Session } from '@propusk/contract/sessions';

// Texts of the list of a user's sessions.

export const sessions = {
  title: 'Сеансы',
  hint: 'Браузеры и расширения, в которых вы вошли. Незнакомый сеанс завершите и смените пароль.',
  list: 'Открытые сеансы',
  current: 'Этот сеанс',
  extension: 'Расширение',
  version: (version: string) => `Версия ${version}`,
  proxyHeld: {
    extension: 'Настройкой прокси в браузере управляет другое расширение: сайты не открываются',
    policy: 'Настройкой прокси в браузере управляет политика: сайты не открываются',
  },
  unknownAgent: 'Браузер неизвестен',
  opened: 'Вход',
  seen: 'Активность',
  seenNow: 'сейчас',
  end: 'Завершить',
  endOne: (name: string) => `Завершить: ${name}`,
  endOthers: 'Завершить остальные',
  alone: 'Других открытых сеансов нет.',
  some: (shown: number, all: number) => `Показаны последние ${shown} из ${all}.`,
  failed: 'Сеансы не загрузились',
  question: 'Завершить этот сеанс?',
  questionOthers: 'Завершить все сеансы, кроме этого?',
  loss: {
    console: 'Там нужно будет войти заново.',
    extension: 'Сайты компании перестанут открываться в том браузере, пока в расширение не войдут заново.',
  } satisfies Record<Session['client'], string>,
  lossOfOthers: 'Во всех остальных браузерах и расширениях нужно будет войти заново.',
  lossOfAccess: 'Пароль шлюза станет другим.',
  ended: 'Сеанс завершён',
  endedOthers: 'Остальные сеансы завершены',
};
