// Texts of the dialogs that import users and sites from a table.

import { count } from '../count.ts';

const rows = (n: number) => count(n, { one: 'строка', few: 'строки', many: 'строк' });
const people = (n: number) => count(n, { one: 'пользователь', few: 'пользователя', many: 'пользователей' });
const sites = (n: number) => count(n, { one: 'сайт', few: 'сайта', many: 'сайтов' });

export const imports = {
  usersTitle: 'Импорт пользователей',
  usersHint:
    'Столбцы: почта, имя, фамилия, политики доступа. Обязательна только почта. Каждый получит приглашение и сам задаст пароль.',
  sitesTitle: 'Импорт сайтов',
  sitesHint: 'Столбцы: адрес и политики доступа. Обязателен только адрес.',
  choose: 'Выбрать файл',
  formats: 'XLSX или CSV, до 1000 строк. Файл можно перетащить сюда',
  paste: 'Таблица',
  pasteHint: 'Или вставьте сюда строки, скопированные из таблицы',
  next: 'Дальше',
  back: 'Назад',
  another: 'Другой файл',
  columns: (file: string, lines: number) => `${file}: ${rows(lines)}. Проверьте, что в каждом столбце`,
  column: (n: number) => `Столбец ${n}`,
  skip: 'Не импортировать',
  needed: (field: string) => `Выберите столбец «${field}»`,
  check: 'Проверить',
  usersReady: (n: number) => `Можно добавить: ${people(n)}`,
  sitesReady: (n: number) => `Можно добавить: ${sites(n)}`,
  refused: (n: number) => `Не подходит: ${rows(n)}`,
  first: (n: number) => `Ниже первые ${n}, все есть в файле по кнопке внизу`,
  cell: (line: number, field: string, text: string) => `Строка ${line}. ${field}: ${text}`,
  reason: 'Что исправить',
  download: 'Скачать строки с ошибками',
  refusedFile: 'строки-с-ошибками.csv',
  run: (n: number) => `Импортировать ${n}`,
  repeated: (line: number) => `Повтор: это уже есть в строке ${line}`,
  noPolicy: (name: string) => `Политики «${name}» нет. Создайте её или исправьте название`,
  usersDone: (n: number) => `Добавлено: ${people(n)}`,
  sitesDone: (n: number) => `Добавлено: ${sites(n)}`,
  mails: (days: string) => `Письма с приглашениями: ${days}. В день уходит не больше 500`,
  mailsOf: (day: string, n: number) => `${day} — ${n}`,
  byHand:
    'Отправка писем на сервере не настроена. Скачайте ссылки и передайте каждому его ссылку сами: больше мы их не покажем. Ссылка действует 7 дней.',
  downloadLinks: 'Скачать ссылки',
  linksFile: 'ссылки.csv',
  /** The usual headings of columns. */
  headings: {
    email: /почт|e-?mail/i,
    surname: /фамили|surname|last.?name/i,
    name: /^имя|^name|first.?name/i,
    politics: /полити|доступ|polic/i,
    address: /адрес|сайт|домен|url|site|domain|host/i,
  },
  faults: {
    tooLarge: 'Файл больше 10 МБ. Оставьте в нём только таблицу',
    oldExcel: 'Это старый .xls или файл с паролем. Сохраните его как .xlsx без пароля',
    broken: 'Файл повреждён, или это не .xlsx. Откройте его в Excel и сохраните как .xlsx или CSV',
    notATable: 'Это не таблица. Нужен файл .xlsx или CSV',
    openQuote: (line: number) => `В строке ${line} не закрыта кавычка`,
    empty: 'В файле нет заполненных строк',
    tooManyRows: 'В файле больше 1000 строк. Разделите его на части',
    tooManyColumns: 'В файле больше 50 столбцов. Удалите лишние',
    longCell: (line: number) => `В строке ${line} есть ячейка длиннее 2000 символов`,
  },
};
