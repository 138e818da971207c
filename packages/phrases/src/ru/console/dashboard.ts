// Texts that all dashboard pages share.

export const columns = { createdAt: 'Создано', updatedAt: 'Изменено', actions: 'Действия' };
export const lastVisit = { title: 'Посещение', never: 'никогда', unknown: 'нет данных' };

export const list = {
  choose: (name: string) => `Выбрать: ${name}`,
  chooseAll: (total: number) => `Выбрать все ${total}`,
  failed: 'Список не загрузился',
  noMatch: (search: string) => `По запросу «${search}» ничего не нашлось`,
  noneThen: 'Таких записей нет',
  reset: 'Сбросить фильтры',
  csv: 'Скачать CSV',
  jsonl: 'Скачать JSONL',
  cancel: 'Отменить',
  cut: 'Выгрузка прервалась, файл не сохранён',
  filter: 'Фильтр',
  filterBy: {
    protection: 'Защита',
    access: 'Доступ',
    visited: 'Посещения',
    policy: 'Политика',
    role: 'Роль',
    invited: 'Приглашение',
    suspended: 'Приостановка',
    confirmed: 'Почта',
    action: 'Действие',
    ends: 'Действует до',
    extension: 'Расширение',
  },
  ofPolicy: (name: string) => `Политика «${name}»`,
  unfilter: (label: string) => `Убрать фильтр: ${label}`,
  range: (from: number, to: number, total: number) => `${from === to ? from : `${from}–${to}`} из ${total}`,
  take: 'Строк на странице',
  pages: 'Страницы',
  page: (page: number) => `Страница ${page}`,
  nextPage: 'Следующая страница',
  previousPage: 'Предыдущая страница',
};

export const alerts = {
  created: 'Успешное создание!',
  updated: 'Успешное обновление!',
  deleted: 'Успешное удаление!',
};

export const shell = {
  admin: 'ADMIN',
  knowledgeBase: 'База знаний',
  scheme: 'Оформление',
  schemes: { light: 'Светлое', dark: 'Тёмное', auto: 'Как в системе' },
  exit: 'Выйти',
  exitQuestion: 'Do you really want to leave the application?',
  exitYes: 'Yes',
  exitNo: 'No',
  go: 'Перейти',
  goTitle: 'Перейти (Ctrl+K)',
  navigation: 'Разделы',
  openNavigation: 'Открыть меню',
  skip: 'К содержанию',
  leaving: 'Выходим…',
  failed: 'Не удалось загрузить ваши данные',
  signInSoon: 'Вы не вошли. Открываем страницу входа…',
};

export const nav = {
  sites: 'Сайты',
  proxies: 'Прокси-серверы',
  policies: 'Политики доступа',
  users: 'Пользователи',
  company: 'Компания',
  companies: 'Компании',
  personalData: 'Персональные данные',
  audit: 'Журнал',
  statistics: 'Статистика',
  tariff: 'Тариф',
  plans: 'Тарифы',
  state: 'Состояние',
  areas: { CREATOR: 'Компания', ADMIN: 'Платформа', USER: 'Моё' },
};

export const drift = {
  label: 'Защита сайтов',
  says: {
    protected: (host: string) => `Сайт ${host} снова защищён`,
    open: (host: string) => `Сайт ${host} был защищён, а теперь открыт всем`,
    closed: (host: string) => `Сайт ${host} открывался вашим сотрудникам, а теперь закрыт для всех`,
    down: (host: string) => `Сайт ${host} был защищён, а теперь не отвечает никому`,
    server_error: (host: string) => `Сайт ${host} был защищён, а теперь отвечает ошибкой`,
    cdn: (host: string) => `Сайт ${host} был защищён, а теперь работает через CDN`,
    unknown: (host: string) => `Сайт ${host} был защищён, а теперь проверить его не удаётся`,
  },
  more: (count: number) => `И ещё сайтов: ${count}`,
  check: (host: string) => `Проверить ${host}`,
};
