import type { MailFailure } from '@propusk/contract/mail';
import { stuckMail } from './console/company.ts';
import { days } from './count.ts';

/** The sentences of the server's state: the page «Состояние», `propusk status` and `propusk doctor`. */

interface Said {
  readonly title: string;
  readonly text: string;
  readonly mend?: string;
}

/** Open visits, the gateways that carry them, and the longest time since a gateway's last report, in seconds. */
interface Load {
  readonly gateways: number;
  readonly visits: number;
  readonly seconds: number;
}

const restart = 'перезапустите службы: propusk restart';
const size = (bytes: number) =>
  bytes >= 1e9 ? `${(bytes / 1e9).toFixed(1).replace('.', ',')} ГБ` : `${Math.round(bytes / 1e6)} МБ`;
const certificate = (name: string) => `Сертификат ${name}`;
const reach = (name: string) => `Доступность ${name}`;
const SETTINGS = 'Настройки';
const DATABASE = 'База данных';
const SERVICE = 'Консоль';
const GATEWAY = 'Шлюз';
const LOAD = 'Соединения через шлюз';
const MAIL = 'Почта';
const BACKUP = 'Резервная копия';
const EGRESS = 'Адреса прокси';
const OUTSIDE = 'Взгляд снаружи';

export const state = {
  // settings
  settings_fit: (): Said => ({ title: SETTINGS, text: 'Противоречий нет.' }),
  settings_unknown: ({ names }: { names: readonly string[] }): Said => ({
    title: SETTINGS,
    text: `Таких настроек нет, и они не действуют: ${names.join(', ')}.`,
    mend: 'Проверьте, как написаны имена: список в /usr/lib/propusk/docs/operating/settings.md.',
  }),
  settings_plain: ({ url }: { url: string }): Said => ({
    title: SETTINGS,
    text: `Консоль открыта в сеть по адресу ${url} без шифрования: пароли видны по дороге.`,
    mend: 'Включите HTTPS: TLS=auto и адрес https:// в PUBLIC_URL, или поставьте перед консолью nginx (deploy/nginx.conf).',
  }),
  settings_gateway_local: ({ host }: { host: string }): Said => ({
    title: SETTINGS,
    text: `Консоль открыта в сеть, а шлюз слушает только ${host}: люди до него не дойдут.`,
    mend: `Дайте шлюзу сертификат и откройте его: propusk setup с --cert и --key или с --tls auto. Без setup: GATEWAY_TLS_CERT, GATEWAY_TLS_KEY, GATEWAY_HOST=0.0.0.0 и GATEWAY_PUBLIC_URL, затем ${restart}.`,
  }),
  settings_gateway_bare: ({ url }: { url: string }): Said => ({
    title: SETTINGS,
    text: `Люди идут к шлюзу на ${url}, а сертификата у него нет: соединиться с ним они не могут.`,
    mend: `Дайте шлюзу сертификат: TLS=auto или GATEWAY_TLS_CERT и GATEWAY_TLS_KEY. Если TLS завершает балансировщик перед шлюзом, задайте GATEWAY_PLAIN=anyone. Затем ${restart}.`,
  }),
  settings_gateway_plain: ({ url }: { url: string }): Said => ({
    title: SETTINGS,
    text: `Шлюз открыт в сеть по адресу ${url} без шифрования: имена сайтов и пароли шлюза видны по дороге.`,
    mend: 'Дайте шлюзу сертификат: TLS=auto или GATEWAY_TLS_CERT и GATEWAY_TLS_KEY, и https:// в GATEWAY_PUBLIC_URL.',
  }),
  settings_trust: (): Said => ({
    title: SETTINGS,
    text: 'Адрес консоли начинается с https, но ни сертификата, ни обратного прокси в настройках нет.',
    mend: 'Если перед консолью работает nginx или Caddy, задайте его адрес в TRUST_PROXY: без него все посетители для «Пропуска» на одно лицо. Иначе задайте TLS=auto.',
  }),

  check_failed: ({ fault }: { fault: string }): Said => ({
    title: 'Проверка',
    text: `Одна из проверок не удалась: ${fault}.`,
  }),

  // the machine
  disk_free: ({ free }: { free: number }): Said => ({ title: 'Диск', text: `Свободно ${size(free)}.` }),
  disk_low: ({ free, path }: { free: number; path: string }): Said => ({
    title: 'Диск',
    text: `На диске с ${path} свободно только ${size(free)}.`,
    mend: 'Освободите место: удалите старые копии из /var/backups/propusk или расширьте диск. Без места новые записи не сохранятся.',
  }),
  clock_right: (): Said => ({ title: 'Часы', text: 'Идут верно.' }),
  clock_off: ({ seconds }: { seconds: number }): Said => ({
    title: 'Часы',
    text: `Часы сервера ${seconds > 0 ? 'спешат' : 'отстают'} на ${Math.abs(seconds)} с.`,
    mend: 'Включите синхронизацию времени: timedatectl set-ntp true. При неверных часах не действуют коды входа, ссылки и сертификаты.',
  }),
  database_clock_off: ({ seconds }: { seconds: number }): Said => ({
    title: 'Часы базы данных',
    text: `Часы базы данных ${seconds > 0 ? 'спешат' : 'отстают'} на ${Math.abs(seconds)} с относительно этого сервера. По ним открываются и закрываются сайты, доступ к которым ограничен по времени.`,
    mend: 'Включите синхронизацию времени на обоих серверах: timedatectl set-ntp true.',
  }),
  clock_unseen: ({ host }: { host: string }): Said => ({
    title: 'Часы',
    text: `Сверить часы не с чем: ${host} не отвечает.`,
    mend: 'Проверьте выход сервера в интернет и его DNS.',
  }),

  // services
  console_up: (): Said => ({ title: SERVICE, text: 'Работает.' }),
  console_down: ({ url }: { url: string }): Said => ({
    title: SERVICE,
    text: `На ${url} никто не отвечает.`,
    mend: 'Запустите службу: systemctl start propusk. Если она не запускается, причина в journalctl -u propusk.',
  }),
  console_foreign: ({ url }: { url: string }): Said => ({
    title: SERVICE,
    text: `На ${url} отвечает другая программа, а не «Пропуск».`,
    mend: `Порт занят: остановите ту программу (ss -ltnp покажет её) или задайте другой PORT, затем ${restart}.`,
  }),
  console_ill: (): Said => ({
    title: SERVICE,
    text: 'Работает, но не дождалась базы данных.',
    mend: 'Причина в journalctl -u propusk и в postgres.log папки данных.',
  }),
  gateway_up: (): Said => ({ title: GATEWAY, text: 'Работает и просит пароль.' }),
  gateway_down: ({ at }: { at: string }): Said => ({
    title: GATEWAY,
    text: `На ${at} никто не отвечает.`,
    mend: 'Запустите его: systemctl start propusk-gateway. Если он не запускается, причина в journalctl -u propusk-gateway: чаще всего не читается ключ сертификата или занят порт.',
  }),
  gateway_foreign: ({ at }: { at: string }): Said => ({
    title: GATEWAY,
    text: `На ${at} отвечает другая программа, а не шлюз.`,
    mend: `Освободите порт (ss -ltnp покажет программу) или задайте другой GATEWAY_PORT, затем ${restart}.`,
  }),
  key_unreadable: ({ path, user }: { path: string; user: string }): Said => ({
    title: certificate('консоли'),
    text: `Пользователь ${user} не может прочитать ${path}.`,
    mend: `Дайте ему файл: setfacl -m u:${user}:r ${path}, а для папок над ним setfacl -m u:${user}:x.`,
  }),

  // names and certificates
  name_missing: ({ name }: { name: string }): Said => ({
    title: reach(name),
    text: 'Этого имени нет в DNS.',
    mend: 'Добавьте запись A (и AAAA) с адресом этого сервера у регистратора домена.',
  }),
  name_internal: ({ name, address }: { name: string; address: string }): Said => ({
    title: reach(name),
    text: `Имя ведёт на внутренний адрес ${address}: снаружи его не открыть.`,
    mend: 'Укажите в записи A внешний адрес сервера.',
  }),
  unreached: ({ name }: { name: string }): Said => ({
    title: reach(name),
    text: 'С этого сервера по этому имени никто не отвечает.',
    mend: 'Проверьте, что запись A ведёт на этот сервер, и откройте порт в межсетевом экране.',
  }),
  certificate_good: ({ name, left }: { name: string; left: number }): Said => ({
    title: certificate(name),
    text: `Действует ещё ${days(left)}.`,
  }),
  certificate_ends: ({ name, left }: { name: string; left: number }): Said => ({
    title: certificate(name),
    text: left < 0 ? 'Срок закончился.' : `Действует ещё ${days(left)}, а новый не получен.`,
    mend: 'Обновите его. При TLS=auto причина в journalctl -u propusk: чаще всего закрыт порт 80 или имя ведёт на другой сервер.',
  }),
  certificate_refused: ({ name, fault }: { name: string; fault: string }): Said => ({
    title: certificate(name),
    text: `Браузеры его не примут: ${refusedChains[fault] ?? fault}.`,
    mend: 'Поставьте сертификат на это имя от известного центра вместе с промежуточными, или задайте TLS=auto.',
  }),

  // database
  database_up: ({ bytes }: { bytes: number }): Said => ({
    title: DATABASE,
    text: `Отвечает. Занимает ${size(bytes)}.`,
  }),
  database_down: ({ fault }: { fault: string }): Said => ({
    title: DATABASE,
    text: `Не отвечает: ${fault}.`,
    mend: 'Если служба остановлена, запустите её: systemctl start propusk. Если нет, причина в postgres.log папки данных.',
  }),

  // mail
  mail_sent: (): Said => ({ title: MAIL, text: 'Почтовый сервер принимает вход, очередь пуста.' }),
  mail_local: (): Said => ({
    title: MAIL,
    text: 'Почтовый сервер не настроен: консоль открыта только с этого компьютера, и письма ложатся файлами в папку данных.',
  }),
  mail_folder: (): Said => ({
    title: MAIL,
    text: 'Почтовый сервер не настроен: письма со ссылками не уходят.',
    mend: 'Задайте SMTP_URL и MAIL_FROM. Пока их нет, ссылки из писем покажет propusk mail.',
  }),
  mail_refused: ({ failure }: { failure: MailFailure }): Said => ({
    title: MAIL,
    text: 'Почтовый сервер не принял вход.',
    mend: `${stuckMail.failures[failure]} У многих хостингов порт 25 закрыт: возьмите 465 или 587.`,
  }),
  mail_stuck: ({ count: n, failure }: { count: number; failure: MailFailure }): Said => ({
    title: MAIL,
    text: `Не уходят письма: ${n}.`,
    mend: `${stuckMail.failures[failure]} Письма уйдут сами, как только сервер их примет.`,
  }),

  // backups
  backup_fresh: ({ hours, tried }: { hours: number; tried: boolean }): Said => ({
    title: BACKUP,
    text: `Последней ${hours === 0 ? 'меньше часа' : `${hours} ч`}. ${tried ? 'Она прочитана до конца.' : 'Прочитать её до конца ещё не пробовали.'}`,
  }),
  backup_old: ({ hours }: { hours: number }): Said => ({
    title: BACKUP,
    text: `Последней уже ${hours} ч.`,
    mend: 'Посмотрите, почему не сделана новая: journalctl -u propusk-backup. Сделать сейчас: propusk backup.',
  }),
  backup_missing: ({ folder }: { folder: string }): Said => ({
    title: BACKUP,
    text: `В ${folder} нет ни одной.`,
    mend: 'Сделайте её: propusk backup. Каждую ночь их делает systemctl enable --now propusk-backup.timer.',
  }),
  backup_unseen: ({ folder }: { folder: string }): Said => ({
    title: BACKUP,
    text: `Посмотреть копии нельзя: папки ${folder} нет, или она закрыта для консоли.`,
    mend: 'Если копии хранятся в другом месте, проверяйте их там. Сделать копию: propusk backup, а без пакета npm run backup -- ФАЙЛ.',
  }),
  backup_bad: ({ file }: { file: string }): Said => ({
    title: BACKUP,
    text: `Копия ${file} не читается до конца.`,
    mend: 'Сделайте новую (propusk backup) и проверьте диск: эту восстановить нельзя.',
  }),

  // gateways
  gateways_busy: ({ gateways, visits, seconds }: Load): Said => ({
    title: LOAD,
    text: `Открыто ${visits}, шлюзов с ними ${gateways}. Последние сведения ${seconds} с назад.`,
  }),
  gateways_late: ({ visits, seconds }: Load): Said => ({
    title: LOAD,
    text: `Открыто ${visits}, но один из шлюзов молчит ${Math.round(seconds / 60)} мин.`,
    mend: 'Проверьте, что он работает и достаёт до консоли: journalctl -u propusk-gateway на его сервере.',
  }),
  records_lost: ({ records }: { records: number }): Said => ({
    title: 'Журнал доступа',
    text: `За сутки потеряны записи о доступе${records === 0 ? ': сколько, неизвестно' : `: ${records}`}.`,
    mend: 'Проверьте журнал шлюза: он останавливался аварийно, долго не доставал до консоли или отказывал тысячам посторонних.',
  }),
  own_machine: ({ names, others }: { names: readonly string[]; others: number }): Said => ({
    title: 'Сайты на этом сервере',
    text: `Шлюз не подключается к ${names.join(', ')}${others === 0 ? '' : ` и ещё к ${others}`}: на своём сервере он открывает порты 80 и 443.`,
    mend: 'Нужный порт опубликуйте через веб-сервер на 443. Или назовите адрес в GATEWAY_ALLOW_NETWORKS, например 203.0.113.5/32: тогда компаниям доступны все его порты, кроме портов «Пропуска» и GATEWAY_OWN_PORTS.',
  }),

  // egress and vantages
  egress_known: (): Said => ({ title: EGRESS, text: 'Известны и не менялись.' }),
  egress_moved: ({ proxies }: { proxies: readonly string[] }): Said => ({
    title: EGRESS,
    text: `Адрес, который видят сайты, сменился у ${proxies.join(', ')}.`,
    mend: 'Откройте «Защитить» у сайтов этих прокси и замените адреса в замках: старые замки своих людей не пускают.',
  }),
  egress_unknown: ({ proxies }: { proxies: readonly string[] }): Said => ({
    title: EGRESS,
    text: `Неизвестен адрес, который видят сайты, у ${proxies.join(', ')}.`,
    mend: 'Причина и кнопка проверки — в разделе «Прокси-серверы».',
  }),
  outside_good: ({ vantage }: { vantage: string }): Said => ({
    title: OUTSIDE,
    text: `Консоль и шлюз открываются с точки «${vantage}».`,
  }),
  outside_shut: ({ vantage, urls }: { vantage: string; urls: readonly string[] }): Said => ({
    title: OUTSIDE,
    text: `С точки «${vantage}» не открывается ${urls.join(' и ')}.`,
    mend: 'Откройте эти порты в межсетевом экране сервера и у хостинга.',
  }),
  outside_unseen: (): Said => ({
    title: OUTSIDE,
    text: 'Посмотреть снаружи некому: точки проверки нет на связи.',
    mend: 'Добавьте её: «Защитить» у любого сайта, кнопка «Точки проверки». Подойдёт любая машина в другой сети.',
  }),
} satisfies Record<string, (...params: never[]) => Said>;

/** Why clients refuse a certificate, by the code of OpenSSL or Node. */
export const refusedChains: Readonly<Record<string, string>> = {
  CERT_HAS_EXPIRED: 'срок закончился',
  CERT_NOT_YET_VALID: 'ещё не действует, или часы сервера неверны',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'он самоподписанный',
  SELF_SIGNED_CERT_IN_CHAIN: 'он от неизвестного центра',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'он от неизвестного центра',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'в файле нет промежуточного сертификата',
  ERR_TLS_CERT_ALTNAME_INVALID: 'он на другое имя',
};

type Table = typeof state;

/** What a check found, as code and parameters. */
export type StateMessage = {
  [Code in keyof Table]: Parameters<Table[Code]> extends [infer Params]
    ? { readonly code: Code; readonly params: Params }
    : { readonly code: Code };
}[keyof Table];

/** Renders a finding: its title, its sentence, and how to fix the problem. */
export function sayState(message: StateMessage): { title: string; text: string; mend: string | null } {
  const say = state[message.code] as (params?: unknown) => Said;
  const { title, text, mend = null } = say('params' in message ? message.params : undefined);
  return { title, text, mend };
}

/** The lines of `propusk status` and `propusk doctor`. */
export const doctorPhrases = {
  version: (version: string) => `«Пропуск» ${version}`,
  databaseStopped: 'она не запущена',
  isSet: '(задано)',
  good: 'Всё в порядке.',
  troubles: (n: number) => `Требует внимания: ${n}.`,
};
