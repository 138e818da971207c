// Texts that every page uses.

export const product = 'Пропуск';

export const slogan = 'Сайты компании открыты своим. И больше никому.';

export const common = {
  yes: 'Да',
  no: 'Нет',
  add: 'Добавить',
  import: 'Импорт',
  save: 'Сохранить',
  cancel: 'Отмена',
  close: 'Закрыть',
  edit: 'Редактировать',
  remove: 'Удалить',
  retry: 'Повторить',
  help: 'Помощь',
  clearSearch: 'Очистить поиск',
  copied: 'Скопировано',
  loading: 'Загрузка',
  noName: 'No name',
  none: '—',
  more: 'еще',
  less: 'скрыть',
  showMore: (count: number) => `Показать ещё ${count}`,
  notFoundOption: 'Ничего не найдено',
  rowActions: (name: string) => `Действия: ${name}`,
  thisGateway: 'Шлюз платформы',
  toSites: 'Пропуск: к списку сайтов',
};

export const failures = {
  server: 'Ошибка на стороне сервера',
  network: 'Нет связи с сервером. Проверьте подключение и повторите',
  unexpected: 'Что-то пошло не так',
  unexpectedHint: 'Страница не открылась. Обновите её, и если не поможет, сообщите администратору.',
  reload: 'Обновить страницу',
  notLoaded: 'Страница не загрузилась',
  notLoadedHint: 'Пропала связь с сервером, или консоль обновилась, пока была открыта. Повторите.',
  gone: 'Не найдено: возможно, уже удалено',
  notFound: 'Страница не найдена',
  notFoundHint: 'Такой страницы нет: возможно, ссылка устарела.',
  toStart: 'На главную',
};

/** Texts of the copy button. Separate from `common` to keep the login page small. */
export const copying = {
  failed: 'Браузер не дал доступ к буферу обмена. Выделите текст и скопируйте его вручную',
};

/** Shown in place of a part of a page that did not load. Separate from `failures` to keep the login page small. */
export const part = {
  failed: 'Эта часть страницы не загрузилась',
};

/** Errors of calls without a reply in time. Separate from `failures` to keep the login page small. */
export const late = {
  read: 'Сервер не ответил вовремя. Подождите немного и повторите',
  change: 'Сервер не ответил вовремя. Сохранилось ли изменение, неизвестно: проверьте и повторите',
};

export const form = {
  choose: {
    person: 'Имя или почта',
    proxy: 'Выберите прокси',
    policy: 'Название политики',
    audience: 'Политика, имя или почта',
    site: 'Адрес сайта',
  },
  untaken: (typed: string) =>
    `«${typed}» ещё не выбрано: нажмите Enter, чтобы взять запись из списка, или сотрите текст`,
  showPassword: (label: string) => `Показать или скрыть: ${label}`,
  differ: 'Пароли не совпадают',
};
