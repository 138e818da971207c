// Texts of the owner's company, the list of companies, and placeholder pages.
import type { MailFailure } from '@propusk/contract/mail';
import { count, days } from '../count.ts';
import { quoted } from '../quoted.ts';

export const company = {
  title: 'Компания',
  help: 'Запись вашей компании на платформе. Политики доступа дают пользователям доступ к определённым сайтам; всё это видно и действует только внутри компании.',
  name: 'Название',
  site: 'Сайт',
  edit: 'Change company',
  extension: 'Расширение',
  extensions: (of: number, all: number) => `Подключено у ${of} из ${all}`,
  rollout: 'Установить всем',
};

export const companies = {
  title: 'Компании',
  help: 'Компании платформы. Пользователи, сайты, прокси-серверы и политики каждой видны только ей и вам. Политики доступа дают пользователям доступ к определённым сайтам своей компании.',
  search: 'Поиск компании',
  create: 'Новая компания',
  nameHint: 'Если оставить пустым, названием станет адрес сайта',
  invite: 'Пригласить владельца',
  inviteHint: (company: string) =>
    `Владелец компании ${quoted(company)} получит ссылку, задаст пароль и сам добавит её сайты и пользователей.`,
  inviteCompany: 'Пригласить компанию',
  invitations: 'Приглашения',
  inviteCompanyHint: (life: number) =>
    `Приглашённый сам зарегистрирует свою компанию и станет её владельцем. Ссылка действует ${days(life)} и срабатывает один раз.`,
  makeLink: 'Сделать ссылку',
  linkMailed: (email: string, until: string) =>
    `Письмо со ссылкой отправлено на ${email}. Её можно передать и самому: больше мы её не покажем. Действует до ${until}.`,
  linkByHand: (until: string) =>
    `Почтовый сервер не настроен: письмо не уйдёт, оно лежит файлом на сервере. Передайте ссылку сами: больше мы её не покажем. Действует до ${until}.`,
  link: 'Ссылка для регистрации',
  copyLink: 'Копировать ссылку',
  unconfirmed: 'почта не подтверждена',
  waits: (waited: number, owner: string) => `ждёт ${waited === 0 ? 'меньше дня' : days(waited)}: ${owner}`,
  isUnconfirmed: 'Почта не подтверждена',
  confirm: 'Подтвердить без письма',
  confirmQuestion: (company: string) => `Подтвердить компанию ${quoted(company)} без письма?`,
  confirmHint:
    'Её пользователи сразу смогут пользоваться шлюзом. Подтверждайте, только если знаете, кто её зарегистрировал.',
  confirmed: 'Компания подтверждена',
  empty: 'Not found. Try refreshing the page or add an item',
  remove: 'Do you really want to delete the company?',
  loss: 'Все её данные пропадут безвозвратно: пользователи, сайты, прокси-серверы и политики доступа.',
};

/** The warning above the list of companies while the server cannot send its mail. */
export const stuckMail = {
  waiting: (n: number, since: string) =>
    `Почта не уходит: ${count(n, { one: 'письмо ждёт', few: 'письма ждут', many: 'писем ждут' })} отправки с ${since}.`,
  failures: {
    refused:
      'Почтовый сервер не принимает соединение: проверьте, запущен ли он и верны ли адрес и порт в SMTP_URL.',
    timeout: 'Почтовый сервер не отвечает: проверьте адрес и порт в SMTP_URL и не мешает ли сетевой экран.',
    no_address: 'Почтовый сервер не найден по имени: проверьте имя в SMTP_URL и работу DNS.',
    tls: 'Защищённое соединение с почтовым сервером не установилось: сервер не предлагает шифрование или его сертификату нельзя доверять. Проверьте сертификат и SMTP_URL.',
    login: 'Почтовый сервер не принял логин или пароль: проверьте их в SMTP_URL.',
    rejected: 'Почтовый сервер отказывается принимать письма: проверьте MAIL_FROM и SMTP_URL.',
    folder: 'Письма не записываются в папку DATA_DIR/mail: проверьте права на неё и место на диске.',
    other:
      'Письма не отправились. Код ошибки записан в журнале, в строках «mail was not sent yet»: проверьте SMTP_URL.',
  } satisfies Record<MailFailure, string>,
  untried: 'Отправить их ещё не пробовали: проверьте, не перезапускается ли сервер.',
  advice: 'Когда причина исчезнет, письма уйдут сами, кроме тех, чьи ссылки к тому времени истекут.',
};
