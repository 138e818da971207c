import { count } from '../count.ts';

// Texts of the keyboard shortcuts, and of the dialog that searches pages and entities.

export const keyboard = {
  where: 'Страница, сайт, имя…',
  nothing: 'Ничего не нашлось',
  found: (n: number) =>
    n === 0 ? 'Ничего не нашлось' : count(n, { one: 'вариант', few: 'варианта', many: 'вариантов' }),
  groups: {
    pages: 'Страницы',
    actions: 'Действия',
    filters: 'Фильтры',
    sites: 'Сайты',
    people: 'Пользователи',
    policies: 'Политики доступа',
    companies: 'Компании',
  },
  add: {
    site: 'Добавить сайт',
    person: 'Добавить пользователя',
    policy: 'Добавить политику доступа',
    proxy: 'Добавить прокси-сервер',
  },
  title: 'Клавиши',
  keys: [
    { keys: ['Ctrl', 'K'], does: 'Перейти куда угодно' },
    { keys: ['/'], does: 'Поиск в списке' },
    { keys: ['N'], does: 'Добавить' },
    { keys: ['?'], does: 'Этот список' },
    { keys: ['Enter'], does: 'Открыть выбранную строку списка' },
    { keys: ['Esc'], does: 'Закрыть окно' },
  ],
  single: 'Клавиши без Ctrl',
  singleHint: 'Выключите, если диктуете голосом или нажимаете их случайно. Ctrl+K работает всегда.',
};
