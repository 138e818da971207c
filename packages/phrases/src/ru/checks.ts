import type { ProbeStep } from '@propusk/contract/lock';

/** The sentences of a probe: titles and details of its steps, problems of a proxy's egress, meanings and advices of verdicts. */

type Who = 'gateway' | 'proxy';
/** A message inside a message. `CheckMessage` would make the table's type refer to itself. */
interface Inner {
  readonly code: string;
  readonly params?: unknown;
}
/** What a step asked, and what came back. */
interface Step {
  readonly title: Inner;
  readonly detail: Inner | null;
}
interface Target {
  readonly url: string;
  /** The literal address that the request went to. */
  readonly address: string;
}

const who = (kind: Who) => (kind === 'gateway' ? 'Шлюз' : 'Прокси');
const ofWho = (kind: Who) => (kind === 'gateway' ? 'шлюза' : 'прокси');
const via = (proxy: string | null) => `Через ${proxy ?? 'шлюз'}`;
const quote = ({ title, detail }: Step) => `${render(title)}: ${render(detail)}`;
const certificates: Readonly<Record<string, string>> = {
  CERT_HAS_EXPIRED: 'просрочен',
  CERT_NOT_YET_VALID: 'ещё не действует',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'самоподписанный',
  SELF_SIGNED_CERT_IN_CHAIN: 'от неизвестного центра',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'от неизвестного центра',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'без промежуточного сертификата',
  ERR_TLS_CERT_ALTNAME_INVALID: 'на другое имя',
};

const places = {
  folder: 'вложенный путь',
  index: '/index.php',
  script: 'программа .php',
  style: 'файл .css',
  acme: 'место для сертификата',
};

const unreached = {
  resolve_failed: 'имя не найдено в DNS',
  address_refused: 'внутренний адрес',
  connect_failed: 'соединение не установлено',
  connection_refused: 'соединение отклонено',
  no_route: 'отсюда туда нет пути',
  timeout: 'нет ответа',
  broken_off: 'соединение оборвано',
  tls_failed: 'TLS не установлен',
  credentials: 'отказ',
  refused: 'отказ',
};

const phrases = {
  /** A sentence that the database holds from before migration 010. */
  legacy: ({ text }: { text: string }): string => text,

  // titles of steps
  outside: ({ url, address }: Target): string => `Снаружи, ${url} (${address})`,
  outside_spoofed: ({ header, ...target }: Target & { header: string }): string =>
    `${phrases.outside(target)}, с поддельным ${header}`,
  outside_place: ({ place, ...target }: Target & { place: keyof typeof places }): string =>
    `${phrases.outside(target)}, ${places[place]}`,
  outside_name: ({ host }: { host: string }): string => `Снаружи: ${host}`,
  through_egress: ({ proxy }: { proxy: string | null }): string => `${via(proxy)}: адрес выхода`,
  through_get: ({ proxy, url }: { proxy: string | null; url: string }): string => `${via(proxy)}: ${url}`,

  // details of steps
  answered: (answer: { status: number; cdn: string | null; certificateFault: string | null }): string => {
    const { status, cdn, certificateFault: fault } = answer;
    const certificate = fault === null ? null : `сертификат: ${certificates[fault] ?? fault}`;
    return [String(status), cdn, certificate].filter(Boolean).join(', ');
  },
  unreached: ({ reason }: { reason: keyof typeof unreached }): string => unreached[reason],
  no_egress_either: ({ detail, family }: { detail: Inner | null; family: 4 | 6 }): string =>
    `${render(detail)}, но и сама проверка по IPv${family} никуда не дозвалась`,
  proxy_credentials: (): string => 'прокси не принял имя или пароль',
  proxy_unavailable: (): string => 'прокси недоступен',
  proxy_refused: ({ status }: { status: number }): string => `прокси отказал: ${status}`,
  out_of_time: (): string => 'не хватило времени',
  port_without_tls: (): string => 'порт не говорит по TLS',
  port_with_tls: (): string => 'порт говорит по TLS',
  unresolved: (): string => 'имя не найдено в DNS',
  internal_address: (): string => 'ведёт на внутренний адрес',
  own_egress: (): string => 'проверка идёт с адреса выхода',
  held: (): string => 'закреплён за другой компанией',
  addresses: ({ addresses }: { addresses: readonly string[] }): string => addresses.join(', '),

  // why the egress of a proxy is not known
  password_unreadable: (): string => 'Пароль этого прокси не расшифровывается: укажите его заново.',
  echo_without_name: ({ echo }: { echo: string }): string =>
    `Адрес выхода узнать нельзя: шлюз открывает сайты только по имени, а эхо стоит на ${echo}. Задайте в PUBLIC_URL или ECHO_URL имя, под которым консоль видна из интернета.`,
  echo_foreign: ({ origin, status }: { origin: string; status: number }): string =>
    `По адресу ${origin}/api/echo ответило не эхо «Пропуска» (ответ ${status}).`,
  echo_saw_internal: ({ address, echo }: { address: string; echo: string }): string =>
    `Эхо увидело служебный адрес ${address}: сайты его не видят. Если перед консолью стоит обратный прокси, задайте TRUST_PROXY; если ${echo} ведёт внутрь сети, задайте ECHO_URL с внешним именем.`,
  echo_certificate: ({ echo }: { echo: string }): string =>
    `Сертификат эха ${echo} не принят: прокси подменяет его или он просрочен.`,
  echo_internal: ({ echo }: { echo: string }): string =>
    `Шлюз не дозвался до эха ${echo}: оно стоит на внутреннем адресе: добавьте его сеть в GATEWAY_ALLOW_NETWORKS или задайте ECHO_URL с внешним именем.`,
  echo_unreached: ({ kind, echo }: { kind: Who; echo: string }): string =>
    `${who(kind)} не дозвался до эха ${echo}: проверьте, что консоль видна из интернета под именем из PUBLIC_URL, или задайте ECHO_URL.`,
  late: ({ kind, seconds }: { kind: Who; seconds: number }): string =>
    `${who(kind)} соединился, но за ${seconds} секунд не ответил. Проверьте его настройки и журнал.`,
  unreachable: ({ kind }: { kind: Who }): string =>
    `${who(kind)} не отвечает. Проверьте его адрес и порт и открыт ли он для этого сервера.`,
  silent: ({ kind }: { kind: Who }): string => `${who(kind)} не отвечает. Проверьте его адрес и порт.`,
  credentials: ({ kind }: { kind: Who }): string =>
    kind === 'gateway'
      ? 'Шлюз не принял пропуск проверки: у него другой GATEWAY_SECRET или отстают часы.'
      : 'Прокси не принял имя или пароль. Укажите верные.',
  no_name: ({ kind }: { kind: Who }): string => `Имя ${ofWho(kind)} не найдено в DNS. Проверьте адрес.`,
  internal_proxy: (): string =>
    'Прокси стоит на внутреннем адресе, куда «Пропуск» не соединяет. Укажите внешний адрес.',
  no_connection: ({ kind }: { kind: Who }): string =>
    `${who(kind)} не принимает соединений. Проверьте его адрес и порт.`,
  refused: ({ kind, status, echo }: { kind: Who; status: number | null; echo: string }): string =>
    `${who(kind)} отказал: ответ ${status ?? 'непонятный'}. Разрешите на нём CONNECT к ${echo}.`,
  certificate: ({ kind }: { kind: Who }): string => `Сертификат ${ofWho(kind)} не принят.`,
  broken_off: ({ kind }: { kind: Who }): string =>
    `${who(kind)} оборвал соединение. Проверьте его настройки и журнал.`,

  // what a verdict means
  protected: (): string => 'Посторонним сайт отвечает отказом, а через «Пропуск» открывается.',
  no_policy: (): string => 'Сайт не стоит ни в одной политике: пускать на него некого.',
  open: (step: Step): string => `Сайт открыт всем. ${quote(step)}.`,
  name_unresolved: ({ host }: { host: string }): string => `Имя ${host} не найдено в DNS.`,
  name_internal: ({ host }: { host: string }): string =>
    `Имя ${host} ведёт на внутренний или служебный адрес, куда «Пропуск» не соединяет.`,
  host_taken: (): string => 'Этот сайт на общем прокси закреплён за другой компанией.',
  cdn_closed: ({ cdn }: { cdn: string }): string =>
    `Сайт стоит за ${cdn}: сервер видит адреса CDN, а не выхода, и не пускает никого.`,
  cdn: ({ cdn }: { cdn: string }): string =>
    `Сайт стоит за ${cdn}. Через CDN посторонних не пускают, но сервер за ним отсюда не виден, и отказ мог дать сам CDN.`,
  server_error: (step: Step): string => `Сервер отвечает ошибкой. ${quote(step)}.`,
  closed: (step: Step): string => `Сайт не пускает и своих. ${quote(step)}.`,
  closed_silent: (step: Step): string => `Сайт не отвечает и своим. ${quote(step)}.`,
  insider: (): string =>
    'Проверка идёт с того же адреса, с которого выходит шлюз: что видят посторонние, отсюда не увидеть.',
  unfinished: (): string => 'Проверка не успела закончиться за минуту.',
  through_failed: (step: Step): string => `Через прокси политики до сайта не дошли. ${quote(step)}.`,
  outside_failed: (step: Step): string =>
    `Снаружи до сайта не дошли, и видят ли его посторонние, неизвестно. ${quote(step)}.`,
  unclear: (step: Step): string => `Ответ не говорит, закрыт ли сайт. ${quote(step)}.`,
  redirects: (): string =>
    'Снаружи сайт только переадресует и ничего не показывает: куда приводит переадресация, не видно.',
  first_page_alone: (step: Step): string =>
    `Спрошена только главная страница, а другие места сайта не спрошены. ${quote(step)}.`,
  egress_unknown: (): string =>
    'Снаружи сайт закрыт и через прокси открыт, но адрес выхода неизвестен: подделку адреса проверить нечем.',

  // what to do about it
  check_again: (): string => 'Нажмите «Проверить» ещё раз.',
  add_to_policy: (): string => 'Добавьте сайт в политику доступа и нажмите «Проверить» ещё раз.',
  use_cdn_lock: ({ cdn }: { cdn: string }): string =>
    `Сайт стоит за ${cdn}: возьмите в «Защитить» вариант для CDN и отключите кеш страниц.`,
  distrust_header: (): string =>
    'Сервер верит заголовку с адресом от кого угодно. Уберите RemoteIPHeader, set_real_ip_from или trusted_proxies для всех сетей.',
  lock_whole_site: (): string =>
    'Закрыта только часть сайта. Поставьте строки из «Защитить» на весь сайт, а не на одну папку.',
  paste_lock: (): string =>
    'Вставьте строки из «Защитить» на сервере. Если они уже там, проверьте, что включён AllowOverride AuthConfig и что их не отменяют другие файлы .htaccess.',
  fix_name: (): string => 'Проверьте адрес сайта и запись A или AAAA.',
  fix_internal: (): string =>
    'Исправьте запись DNS. Для сайта во внутренней сети администратор добавляет её в GATEWAY_ALLOW_NETWORKS.',
  own_proxy: (): string => 'Администратор вашей компании может открыть его через собственный прокси.',
  bypass_cdn: (): string =>
    'Возьмите в «Защитить» вариант для CDN и закройте сервер для всех адресов, кроме адресов CDN. Надёжнее отключить для этого сайта проксирование в CDN.',
  fix_server: (): string =>
    'Чаще всего это строка в .htaccess, которой сервер не позволяет: включите AllowOverride AuthConfig и оставьте в файле только наши строки. Остальное скажет журнал ошибок сервера.',
  renew_lock: (): string =>
    'Откройте «Защитить», узнайте адреса выхода заново и замените ими адреса в замке. Если замок верен, посмотрите, не отвечает ли отказом сама главная страница.',
  fix_firewall: (): string =>
    'Проверьте, что сервер работает и что его межсетевой экран пускает адреса выхода из «Защитить».',
  move_console: (): string =>
    'Задайте шлюзу собственный адрес в GATEWAY_EGRESS или запустите консоль на другой машине.',
  check_proxy: (): string => 'Проверьте этот прокси в разделе «Прокси» и нажмите «Проверить» ещё раз.',
  fix_egress: ({ family }: { family: 4 | 6 }): string =>
    `Проверьте, что сервер консоли сам, без прокси, выходит в интернет по IPv${family}. Если сайт посторонним вовсе не отвечает, пусть отвечает отказом 403: его видно, а молчание — нет. Если по IPv${family} сайт не работает, удалите его запись ${family === 6 ? 'AAAA' : 'A'}.`,
  read_server_log: (): string => 'Посмотрите журнал сервера за это время и нажмите «Проверить» ещё раз.',
  check_redirect_target: (): string =>
    'Добавьте в список сайтов адрес, на который он переадресует, и проверьте его.',
  find_egress: (): string => 'Откройте «Защитить» и посмотрите, почему не удалось узнать адрес выхода.',
};

type Phrases = typeof phrases;

/** A message of a probe as the api passes and stores it: a code of this table and its parameters. */
export type CheckMessage = {
  [Code in keyof Phrases]: Parameters<Phrases[Code]> extends [infer Params]
    ? { readonly code: Code; readonly params: Params }
    : { readonly code: Code };
}[keyof Phrases];

/** A step of a probe as the api passes and stores it. `detail` null: nothing came back yet. */
export interface CheckStep extends Pick<ProbeStep, 'vantage' | 'outcome'> {
  readonly title: CheckMessage;
  readonly detail: CheckMessage | null;
}

/** Renders a message; null stays null. */
export function sayCheck(message: CheckMessage): string;
export function sayCheck(message: CheckMessage | null): string | null;
export function sayCheck(message: CheckMessage | null): string | null {
  return message === null ? null : render(message);
}

/** Renders a step. */
export const sayStep = ({ title, vantage, outcome, detail }: CheckStep): ProbeStep => ({
  title: render(title),
  vantage,
  outcome,
  detail: render(detail),
});

/** @returns the code itself for one that this version does not know: a newer version may have stored it */
function render(message: Inner | null): string {
  if (message === null) return '';
  const { code, params } = message;
  const table: Readonly<Record<string, (params: never) => string>> = phrases;
  const say = Object.hasOwn(table, code) ? table[code] : undefined;
  return say === undefined ? code : say(params as never);
}
