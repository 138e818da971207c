// Texts of a site's lock (configuration lines for its web server) and of the probe that tests the lock.

import { limits } from '@propusk/contract/limits';
import { count } from '../count.ts';

export const lock = {
  title: (host: string) => `Замок: ${host}`,
  checkTitle: (host: string) => `Проверка: ${host}`,
  lead: 'Замок ставят на сервере сайта. После этого сайт открывается только с перечисленных адресов, а всем остальным отвечает отказом.',
  egress: 'С каких адресов приходят ваши сотрудники',
  learn: 'Узнать адреса заново',
  learnFirst: 'Узнать адреса',
  learning: 'Узнаём, какой адрес у каждого прокси видят сайты. Это занимает до десяти секунд.',
  learned: (moment: string) => `Проверено ${moment}`,
  notLearned: 'Ещё не проверялся',
  stale: 'Мог измениться',
  noAddress: 'Адрес пока неизвестен',
  breaks: 'Адрес изменился. Пока вы не вставите новые строки, эти сайты не откроются вашим сотрудникам:',
  noPolicy: 'Сначала назначьте сайту политику доступа',
  noPolicyHint:
    'После этого здесь появятся строки замка: сайт будет открываться только с адресов тех, кому его открывает политика.',
  assign: 'Назначить политику',
  noSnippets: 'Строки появятся, когда станет известен хотя бы один адрес',
  noSnippetsHint:
    'Замок без адресов закрыл бы сайт от всех. «Пропуск» узнает адрес сам: отправит через прокси запрос самому себе.',
  server: 'Сервер сайта',
  servers: {
    htaccess: 'Apache, .htaccess',
    apache: 'Apache, настройки сайта',
    nginx: 'nginx',
    caddy: 'Caddy',
    litespeed: 'LiteSpeed',
  },
  cdn: 'Сайт работает через CDN или балансировщик',
  cdnHint:
    'Сервер видит адрес сети доставки, а не посетителя. Такой замок берёт настоящий адрес из её заголовка.',
  noCdn: 'Для этого сервера замка за CDN нет: закройте сайт в настройках самой сети доставки.',
  place: 'Куда вставить',
  code: 'Строки замка',
  copy: 'Копировать строки',
  notes: 'Что важно знать',
  share: 'Отправить коллеге',
  shareHint: 'По этой ссылке видны только строки замка. Входить никуда не нужно.',
  shareUntil: (moment: string) => `Действует до ${moment}`,
  shareLink: 'Ссылка для коллеги',
  copyLink: 'Копировать ссылку',
  check: 'Проверить',
  checkAgain: 'Проверить снова',
  toLock: 'Строки замка',
  paths: {
    title: 'Проверять также',
    glance: (start: number, open: number) => {
      const paths = count(start, { one: 'путь', few: 'пути', many: 'путей' });
      const kept = start > 0 ? `Проверять также: ${paths}` : 'Проверять также';
      return open > 0 ? `${kept}. Открыто намеренно: ${open}` : kept;
    },
    failed: 'Пути не загрузились',
    startPaths: 'Проверять также',
    openPaths: 'Открыто намеренно',
    hints: {
      startPaths: `Проверка откроет эти пути вместе с первой страницей, например /admin/. По одному в строке, не больше ${limits.startPaths}. Ссылку можно вставить целиком`,
      openPaths: `Точные адреса страниц и файлов, которые должны быть открыты всем, например /favicon.ico. По одному в строке, не больше ${limits.openPaths}. Их назовёт каждый вердикт`,
    },
    acting: (paths: readonly string[]) =>
      `Проверка запросит пути как есть, а эти похожи на действие: ${paths.join(', ')}. Оставьте их, только если такой запрос на сайте ничего не изменит.`,
    save: 'Сохранить пути',
    saved: 'Сохранено. Сайт проверят заново с этими путями; чтобы не ждать, нажмите «Проверить».',
    faults: {
      noSlash: (entry: string) => `«${entry}»: начните путь с косой черты, например /admin/`,
      firstPage: (entry: string) => `«${entry}»: это первая страница. Допишите путь или удалите строку`,
      long: (entry: string) =>
        `«${entry.slice(0, 40)}…»: путь длиннее ${limits.startPath} знаков. Укажите путь короче`,
      tooMany: (most: number, excess: number) => `Не больше ${most}. Удалите лишние строки: ${excess}`,
    },
  },
  addSite: 'Добавить сайт',
  checking: 'Проверяем сайт…',
  checkingHint: 'Открываем его снаружи и через прокси его политик. Обычно это занимает меньше минуты.',
  never: 'Этот сайт ещё не проверяли',
  neverHint: 'Проверка откроет его снаружи и через «Пропуск» и покажет, закрыт ли он от посторонних.',
  checkedAt: (moment: string) => `Проверено ${moment}`,
  outside: 'Снаружи сайт должен отказать',
  through: 'Через «Пропуск» сайт должен открыться',
  glance: {
    unresolved: 'Снаружи: имя сайта не найдено',
    outside: (refused: number, asked: number) =>
      asked === 0
        ? 'Снаружи: сервер не ответил'
        : refused === 0
          ? 'Снаружи: отказов нет'
          : `Снаружи отказано: ${refused} из ${count(asked, { one: 'запроса', many: 'запросов' })}`,
    through: (opened: number, proxies: number) => {
      if (opened === proxies && proxies > 0) return 'Через «Пропуск»: открывается';
      if (opened === 0) return 'Через «Пропуск»: не открывается';
      return `Через «Пропуск»: открывается через ${opened} прокси из ${proxies}`;
    },
  },
  progress: {
    outside: (done: number, all: number) => `Снаружи: проверено ${done} из ${all}`,
    through: (done: number, all: number) => `Через «Пропуск»: проверено ${done} из ${all}`,
  },
  wrong: { outside: 'Снаружи не отказано', through: 'Через «Пропуск» не открылось' },
  waiting: 'ещё не проверено',
  /** The server also uses this text for the result of a probe step. */
  unresolved: 'имя не найдено в DNS',
  passed: 'верно',
  failed: 'неверно',
  skipped: 'пропущено',
  advice: 'Что сделать',
};

export const sharedLock = {
  title: (host: string) => `Замок для сайта ${host}`,
  lead: 'Вам прислали строки, которые закрывают сайт от посторонних. Вставьте их на сервере сайта: после этого он открывается только с адресов «Пропуска», а остальным отвечает отказом (403).',
  until: (moment: string) => `Ссылка действует до ${moment}.`,
  after: 'Когда вставите, напишите тому, кто прислал ссылку: он проверит замок в консоли.',
  dead: 'Ссылка не действует',
  noToken: 'Ссылка неполная: в ней не хватает последней части. Откройте её целиком, как прислали.',
};

export const why = {
  title: (host: string) => `Проверить доступ пользователя: ${host}`,
  user: 'Пользователь',
  userHint: 'Выберите пользователя: покажем, откроется ли ему сайт и что мешает.',
  allowed: 'Доступ есть',
  refused: 'Доступа нет',
  links: 'Путь от пользователя к сайту',
  there: 'да',
  missing: 'нет',
  unchecked: 'не проверялось',
  via: (policy: string, proxy: string) => `Политика «${policy}», прокси ${proxy}`,
  code: (reason: string) => `Код отказа: ${reason}`,
  join: (policy: string) => `Добавить в политику «${policy}»`,
  joined: (policy: string) => `Добавлен в «${policy}»`,
  assign: 'Назначить политику',
  toUsers: 'К пользователям',
  toPolicies: 'К политикам доступа',
};
