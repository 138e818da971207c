import { count } from '../count.ts';

const losers = (n: number) => {
  const one = n % 10 === 1 && n % 100 !== 11;
  const counted = count(n, { one: 'пользователь', few: 'пользователя', many: 'пользователей' });
  return `${one ? 'потеряет' : 'потеряют'} ${counted}`;
};

// Sentences in the confirmation of a deletion: how many users lose access.
export const loss = {
  counting: 'Считаем, кто потеряет доступ…',
  unknown: 'Не удалось посчитать, кто потеряет доступ.',
  nobody: 'Доступ никто не потеряет.',
  sites: (sites: number, users: number) =>
    `Доступ к ${count(sites, { one: 'сайту', many: 'сайтам' })} ${losers(users)}.`,
  allSites: (users: number) => `Доступ ко всем сайтам ${losers(users)}.`,
};
