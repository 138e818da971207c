import type { ErrorCode } from '@propusk/contract/errors';
import type { IssueCode } from '@propusk/contract/issues';
import { limits } from '@propusk/contract/limits';
import { count } from './count.ts';
import { errorMessages } from './errors.ts';

const characters = (n: number) => count(n, { one: 'символа', many: 'символов' });
const short = (least: number) => `Не короче ${characters(least)}`;

/** Field errors that a schema finds: the server and the console's forms show the same sentence. */
export const schemaFaults = {
  required: () => 'Заполните это поле',
  choose: () => 'Выберите значение',
  email: () => 'Укажите почту, до @ латиницей: name@company.ru',
  email_server: () => 'После @ нет имени сервера',
  port: () => `Целое число от ${limits.port.min} до ${limits.port.max}`,
  phone: () => 'Укажите номер целиком: +7 912 345 67 89',
  short,
  name_short: (least: number) => `${short(least)}: допишите форму, например ООО «Ян»`,
  site_short: (least: number) => `${short(least)}: допишите начало, например https://t.me`,
  long: (most: number) => `Не длиннее ${characters(most)}`,
  less_than: (least: number) => `Не меньше ${least}`,
  more_than: (most: number) => `Не больше ${most}`,
  not_a_number: () => 'Здесь нужно целое число',
  bad_characters: () => 'Здесь есть недопустимые символы',
  unfit: () => 'Проверьте это поле',
  password_short: () => short(limits.password.min),
  repeated: () => 'В списке есть повторы',
  past: () => 'Это время уже прошло',
  no_such_day: () => 'Такого дня нет',
  period_too_long: () => 'Для этого отбора выберите период не длиннее 31 дня',
  no_proxy_host: () => 'Укажите имя или адрес сервера, например proxy.company.ru',
  proxy_address_changes: () => 'Адрес изменился: введите пароль прокси заново',
  email_or_token: () => 'Нужна почта или ссылка',
  password_from_link: () => 'Пароль задаёт ссылка из письма',
  email_from_link: () => 'Новая почта уже указана в ссылке',
  password_not_asked: () => 'Текущий пароль нужен только для смены почты',
} satisfies Record<IssueCode, () => string> & Record<string, (...params: never[]) => string>;

/** All field errors. The console loads only `schemaFaults`, because the server alone finds the other errors. */
export const fieldFaults = {
  ...schemaFaults,
  wrong_password: () => 'Неверный пароль',
  wrong_code: () => 'Код не подошёл. Дождитесь следующего и проверьте время на телефоне',
  code_required: () => 'Введите код из приложения или запасной код',
  email_taken: () => 'Эта почта уже занята',
  emails_taken: (addresses: string) => `Уже есть в «Пропуске»: ${addresses}`,
  email_of_company: () => 'Этот пользователь уже есть в вашей компании',
  email_unchecked: () =>
    'Не проверено: за час видно не больше 20 адресов, занятых в других компаниях. Повторите позже',
  /** @param line counted from 1 */
  email_in_line: (line: number) => `Эта почта уже есть в строке ${line}`,
  idempotency_key: () => 'От 1 до 255 латинских букв, цифр и знаков без пробелов',
  no_etag: () => 'Это не ETag из ответа',
  gone_from_list: () => 'В списке есть запись, которую уже удалили. Обновите страницу',
  /** A row of a list that prevents a bulk change. */
  row_refused: (code: ErrorCode) => errorMessages[code],
  proxy_gone: () => 'Этот прокси уже удалён. Обновите страницу',
  beyond_a_year: () => 'Не дальше чем через год',
  platform_proxy_type: () => 'Прокси платформы остаётся стандартным',
  company_proxy_type: () => 'Прокси компании не бывает стандартным',

  email_address: () => 'Это почта. Укажите адрес сайта, например crm.example.ru',
  not_a_host: () => 'Укажите адрес сайта, например crm.example.ru',
  several_addresses: () => 'Здесь несколько адресов: укажите один, без пробелов',
  symbols: () => 'В имени сайта могут быть только буквы, цифры, дефис и подчёркивание',
  ip_address: () => 'Укажите имя сайта: IP-адрес не подходит',
  single_label: () => 'Укажите полное имя сайта, например crm.example.ru',
  public_suffix: () => 'Это общая зона, а не сайт: укажите имя внутри неё, например crm.example.ru',
  bad_port: () => 'Порт: целое число от 1 до 65535',
  /** @param address the site's address as users write it */
  site_listed: (address: string) => `${address} уже в списке`,
  /** @param line counted from 1 */
  site_in_line: (line: number) => `Этот сайт уже есть в строке ${line}`,
} satisfies Record<string, (...params: never[]) => string>;
