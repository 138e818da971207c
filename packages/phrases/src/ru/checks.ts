import type { ProbeStep } from '@propusk/contract/probe';
import { unicodeHost } from '@propusk/contract/unicode-host';
import { lock } from './console/lock.ts';
import { count as countOf } from './count.ts';

/** The sentences of a probe: titles and results of its steps, problems of a proxy's egress, verdicts, and advice. */

type Who = 'gateway' | 'proxy';
/** A message as a parameter of another message. The type `CheckMessage` would refer to itself here. */
interface Inner {
  readonly code: string;
  readonly params?: unknown;
}
/** A step of a probe: its title, and its result when known. */
interface Step {
  readonly title: Inner;
  readonly detail: Inner | null;
}
interface Target {
  /** The name of the vantage that sent the request; absent for the api itself. */
  readonly vantage?: string;
  readonly url: string;
  /** The IP address that received the request. */
  readonly address: string;
}

interface Vantages {
  readonly vantages: readonly string[];
}
/** The counts of a probe of a protected site. */
interface Refusals extends Vantages {
  readonly pages: number;
  readonly requests: number;
  /** The number of requests that were not made because of a limit. */
  readonly unfit: number;
  /** Whether the probe found nothing to request besides the first page. */
  readonly emptySample: boolean;
  /** Paths that the owner deliberately leaves open to everyone. */
  readonly allowed: readonly string[];
}
const pointsOf = (names: readonly string[]) =>
  `${names.length === 1 ? 'точки' : 'точек'} ${names.map((name) => `«${name}»`).join(', ')}`;

const who = (kind: Who) => (kind === 'gateway' ? 'Шлюз' : 'Прокси');
const ofWho = (kind: Who) => (kind === 'gateway' ? 'шлюза' : 'прокси');
const via = (proxy: string | null) => `Через ${proxy ?? 'шлюз'}`;
const quote = ({ title, detail }: Step) => `${render(title)}: ${render(detail)}`;
function notOpened({ title, detail }: Step): string {
  const { proxy } = title.params as { proxy: string | null };
  return `${proxy === null ? 'Через шлюз платформы' : `Через прокси «${proxy}»`} сайт не открылся: ${render(detail)}.`;
}
const askOperator =
  'Адрес узнать не удалось. Сообщите администратору платформы: причину он увидит в разделе «Прокси-серверы», если проверит шлюз.';
/** A path for display: decoded, unless it is not valid UTF-8 or contains invisible characters. */
function shownPath(path: string): string {
  try {
    const text = decodeURI(path);
    return /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]*$/u.test(text) ? text : path;
  } catch {
    return path;
  }
}
const requestsOf = (n: number) => countOf(n, { one: 'запрос', few: 'запроса', many: 'запросов' });
const pagesOf = (n: number) =>
  countOf(n, { one: 'страница или файл', few: 'страницы и файла', many: 'страниц и файлов' });
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
  no_family: 'у шлюза нет исходящего адреса того же вида (IPv4 или IPv6)',
  connect_failed: 'соединение не установлено',
  connection_refused: 'соединение отклонено',
  no_route: 'нет маршрута до адреса',
  timeout: 'нет ответа',
  broken_off: 'соединение оборвано',
  tls_failed: 'HTTPS-соединение не установлено',
  credentials: 'отказ',
  refused: 'отказ',
};

const phrases = {
  // titles of steps
  outside: ({ vantage, url, address }: Target): string =>
    `${vantage === undefined ? 'Снаружи' : `С точки «${vantage}»`}, ${url} (${address})`,
  outside_spoofed: ({ header, ...target }: Target & { header: string }): string =>
    `${phrases.outside(target)}, с поддельным ${header}`,
  outside_place: ({ place, ...target }: Target & { place: keyof typeof places }): string =>
    `${phrases.outside(target)}, ${places[place]}`,
  outside_path: ({ path, ...target }: Target & { path: string }): string =>
    `${phrases.outside(target)}, ${shownPath(path)}`,
  outside_samples: (target: Target): string => `${phrases.outside(target)}, страницы и файлы сайта`,
  outside_name: ({ host }: { host: string }): string => `Снаружи: ${unicodeHost(host)}`,
  through_egress: ({ proxy }: { proxy: string | null }): string =>
    `${via(proxy)}: адрес, который видят сайты`,
  through_get: ({ proxy, url }: { proxy: string | null; url: string }): string => `${via(proxy)}: ${url}`,

  through_path: ({ proxy, url, path }: { proxy: string | null; url: string; path: string }): string =>
    `${via(proxy)}: ${url}${shownPath(path)}`,

  // details of steps
  answered: (answer: {
    status: number;
    cdn: string | null;
    certificateFault: string | null;
    /** The path that a redirect led to. */
    path?: string;
    /** Whether the page looks like a browser check against bots. */
    challenge?: true;
  }): string => {
    const { status, cdn, certificateFault: fault, path } = answer;
    const certificate = fault === null ? null : `сертификат: ${certificates[fault] ?? fault}`;
    const at = path === undefined ? null : `после перехода на ${shownPath(path)}`;
    return [String(status), at, cdn, certificate].filter(Boolean).join(', ');
  },
  samples_denied: ({ count }: { count: number }): string => `отказ на ${requestsOf(count)}`,
  leads_to_sign_in: ({ host }: { host: string }): string =>
    `переадресует на страницу входа ${unicodeHost(host)}`,
  leads_to_site: ({ host }: { host: string }): string =>
    `переадресует на ${unicodeHost(host)}, который открыт тем же сотрудникам`,
  leads_away: ({ host }: { host: string }): string =>
    `переадресует на ${unicodeHost(host)}, а сотрудникам он не открыт`,
  out_of_requests: (): string => 'запросов не хватило',
  host_busy: (): string => 'слишком много проверок этого сайта',
  unreached: ({ reason }: { reason: keyof typeof unreached }): string => unreached[reason],
  no_egress_either: ({ detail, family }: { detail: Inner | null; family: 4 | 6 }): string =>
    `${render(detail)}, но у самой проверки нет выхода в интернет по IPv${family}`,
  proxy_credentials: (): string => 'прокси не принял логин или пароль',
  proxy_unavailable: (): string => 'прокси недоступен',
  proxy_certificate: (): string => 'сертификат прокси не принят',
  proxy_refused: ({ status }: { status: number }): string => `прокси отказал: ${status}`,
  out_of_time: (): string => 'не хватило времени',
  port_without_tls: (): string => 'порт не поддерживает HTTPS',
  port_with_tls: (): string => 'порт работает только по HTTPS',
  unresolved: (): string => lock.unresolved,
  internal_address: (): string => 'ведёт на внутренний адрес',
  own_egress: (): string => 'проверка идёт с разрешённого адреса',
  vantage_private: (): string => 'точка проверки не открывает внутренние адреса',
  vantage_silent: (): string => 'точка проверки не ответила',
  held: (): string => 'закреплён за другой компанией',
  addresses: ({ addresses }: { addresses: readonly string[] }): string => addresses.join(', '),

  // why the egress of a proxy is not known
  password_unreadable: (): string => 'Пароль этого прокси не расшифровывается: укажите его заново.',
  echo_without_name: ({ echo }: { echo: string }): string =>
    `Узнать адрес нельзя: шлюз открывает сайты только по имени, а адрес эха — ${echo}. Задайте в PUBLIC_URL или ECHO_URL имя, под которым консоль доступна из интернета.`,
  only_local: ({ addresses }: { addresses: readonly string[] }): string =>
    `«Пропуск» запущен только на этом компьютере, поэтому в строках его адрес в вашей сети (${addresses.join(', ')}). Если сайт в интернете, замените его внешним адресом вашей сети.`,
  echo_foreign: ({ origin, status }: { origin: string; status: number }): string =>
    `По адресу ${origin}/api/echo нет эха «Пропуска» (ответ ${status}).`,
  echo_saw_internal: ({ address, echo }: { address: string; echo: string }): string =>
    `Эхо увидело служебный адрес ${address}: сайты его не видят. Если перед консолью работает обратный прокси, задайте TRUST_PROXY; если ${echo} ведёт внутрь сети, задайте ECHO_URL с внешним именем.`,
  echo_certificate: ({ echo }: { echo: string }): string =>
    `Сертификат эха ${echo} не принят: прокси подменяет его или он просрочен.`,
  echo_internal: ({ echo }: { echo: string }): string =>
    `Шлюз не открыл эхо ${echo}: у него внутренний адрес. Добавьте его сеть в GATEWAY_ALLOW_NETWORKS или задайте ECHO_URL с внешним именем.`,
  echo_unreached: ({ kind, echo }: { kind: Who; echo: string }): string =>
    `${who(kind)} не открыл эхо ${echo}: проверьте, что консоль доступна из интернета по имени из PUBLIC_URL, или задайте ECHO_URL.`,
  late: ({ kind, seconds }: { kind: Who; seconds: number }): string =>
    `${who(kind)} соединился, но за ${seconds} секунд не ответил. Проверьте его настройки и журнал.`,
  unreachable: ({ kind }: { kind: Who }): string =>
    `${who(kind)} не отвечает. Проверьте его адрес и порт и открыт ли он для этого сервера.`,
  silent: ({ kind }: { kind: Who }): string => `${who(kind)} не отвечает. Проверьте его адрес и порт.`,
  credentials: ({ kind }: { kind: Who }): string =>
    kind === 'gateway'
      ? 'Шлюз не принял пароль проверки: у него другой GATEWAY_SECRET или отстают часы.'
      : 'Прокси не принял логин или пароль. Укажите верные.',
  no_name: ({ kind }: { kind: Who }): string => `Имя ${ofWho(kind)} не найдено в DNS. Проверьте адрес.`,
  internal_proxy: (): string =>
    'У прокси внутренний адрес: к таким «Пропуск» не подключается. Укажите внешний адрес.',
  no_connection: ({ kind }: { kind: Who }): string =>
    `${who(kind)} не принимает соединений. Проверьте его адрес и порт.`,
  gateway_on_loopback: (): string =>
    'Шлюз слушает только этот компьютер, поэтому пользователи до него не дойдут. Администратор платформы может задать GATEWAY_HOST=0.0.0.0 и перезапустить шлюз.',
  refused: ({ kind, status, echo }: { kind: Who; status: number | null; echo: string }): string =>
    `${who(kind)} отказал: ответ ${status ?? 'непонятный'}. Разрешите на нём CONNECT к ${echo}.`,
  certificate: ({ kind }: { kind: Who }): string => `Сертификат ${ofWho(kind)} не принят.`,
  broken_off: ({ kind }: { kind: Who }): string =>
    `${who(kind)} оборвал соединение. Проверьте его настройки и журнал.`,

  // what a verdict means
  protected: (seen: Refusals | undefined): string => {
    const opens = 'Посторонним сайт отвечает отказом, а через «Пропуск» открывается.';
    // Results that versions before 0.3 stored have no counts.
    if (seen === undefined) return opens;
    const { pages, requests, unfit, emptySample, allowed, vantages } = seen;
    return [
      opens,
      `Посторонним отказано: ${pagesOf(pages)}, ${requestsOf(requests)}.`,
      emptySample
        ? 'Ссылок на сайте не нашлось: чтобы проверить больше, добавьте начальные пути в «Проверять также».'
        : 'Страницы за входом не проверены.',
      unfit === 0 ? '' : `Не поместилось в проверку: ${requestsOf(unfit)}.`,
      allowed.length === 0 ? '' : `Открыто намеренно: ${allowed.map(shownPath).join(', ')}.`,
      vantages.length === 0 ? '' : `Снаружи смотрели с ${pointsOf(vantages)}.`,
    ]
      .filter(Boolean)
      .join(' ');
  },
  protected_from: ({ vantages }: Vantages): string =>
    `Посторонним сайт отвечает отказом, а через «Пропуск» открывается. Снаружи смотрели с ${pointsOf(vantages)}.`,
  no_policy: (): string => 'У сайта нет политики доступа: открыть его пока некому.',
  open: (step: Step): string =>
    `${step.title.code === 'outside_path' ? 'Часть сайта открыта всем' : 'Сайт открыт всем'}. ${quote(step)}.`,
  open_here: (step: Step): string =>
    `Сайт открылся с этого сервера мимо «Пропуска», а видят ли его другие посторонние, отсюда не узнать. ${quote(step)}.`,
  open_here_only: (step: Step): string =>
    `Сайт открылся с этого сервера мимо «Пропуска», хотя другим посторонним отвечает отказом. ${quote(step)}.`,
  name_unresolved: ({ host }: { host: string }): string => `Имя ${unicodeHost(host)} не найдено в DNS.`,
  name_internal: ({ host }: { host: string }): string =>
    `Имя ${unicodeHost(host)} ведёт на внутренний или служебный адрес: такие «Пропуск» не открывает.`,
  host_taken: (): string => 'Этот сайт на общем прокси закреплён за другой компанией.',
  cdn_closed: ({ cdn }: { cdn: string }): string =>
    `Сайт работает через ${cdn}: сервер видит адреса CDN, а не ваших сотрудников, и закрыт для всех.`,
  cdn: ({ cdn }: { cdn: string }): string =>
    `Сайт работает через ${cdn}. Посторонние получают отказ, но сам сервер за CDN отсюда не виден: отказать мог и CDN.`,
  server_error: (step: Step): string => `Сервер отвечает ошибкой. ${quote(step)}.`,
  down: (): string =>
    'Сервер не ответил ни снаружи, ни через «Пропуск». По молчанию не узнать, закрыт ли сайт от посторонних.',
  closed: (step: Step): string => `Сайт закрыт и для ваших сотрудников. ${quote(step)}.`,
  closed_silent: (step: Step): string => `Сайт не отвечает и вашим сотрудникам. ${quote(step)}.`,
  insider: (): string =>
    'Проверка идёт с того же адреса, с которого сайт открывается вашим сотрудникам: что видят посторонние, отсюда не узнать.',
  vantage_away: ({ vantages }: Vantages): string =>
    `С этого сервера не узнать, что видят посторонние: сайт открывается отсюда и вашим сотрудникам. Смотреть должны с ${pointsOf(vantages)}, но связи с ${vantages.length === 1 ? 'ней' : 'ними'} сейчас нет.`,
  vantage_insider: ({ vantages }: Vantages): string =>
    `Сайт открывается вашим сотрудникам и с адреса этого сервера, и с адреса ${pointsOf(vantages)}: что видят посторонние, оттуда не узнать.`,
  vantage_opens_no_private: ({ vantages }: Vantages): string =>
    `У сайта внутренний адрес, а с ${pointsOf(vantages)} такие не открываются.`,
  vantage_unanswered: ({ vantages }: Vantages): string =>
    `Не удалось посмотреть на сайт с ${pointsOf(vantages)}: ответа не было.`,
  unfinished: (): string => 'Проверка не успела закончиться за полторы минуты.',
  unread_page: ({ path, detail }: { path: string; detail: Inner }): string =>
    `Через «Пропуск» не удалось прочитать ${shownPath(path)}: ${render(detail)}. Поэтому неизвестно, открыто ли посторонним то, на что там есть ссылки.`,
  through_failed: (step: Step): string => notOpened(step),
  redirects_away: ({ host }: { host: string }): string =>
    `Сайт переадресует на ${unicodeHost(host)}, а такого сайта в политике нет: сотрудники его не откроют.`,
  prober_blocked: (step: Step): string =>
    `Сервер блокирует проверяющего: сначала он отвечал отказом, а потом замолчал. ${quote(step)}.`,
  host_busy_now: (): string => 'За последние десять минут этот сайт проверяли слишком часто.',
  outside_failed: (step: Step): string =>
    `Снаружи сайт открыть не удалось, и видят ли его посторонние, неизвестно. ${quote(step)}.`,
  unclear: (step: Step): string => `По ответу не понять, закрыт ли сайт. ${quote(step)}.`,
  redirects: (): string =>
    'Снаружи сайт только переадресует. Что открывается по новому адресу, проверка не видит.',
  first_page_alone: (step: Step): string =>
    `Проверена только главная страница, а остальные части сайта нет. ${quote(step)}.`,
  egress_unknown: (): string =>
    'Снаружи сайт закрыт, а через прокси открыт. Но адрес прокси неизвестен, и проверить сайт с подделкой этого адреса нельзя.',

  // advice to the owner
  add_site: ({ host }: { host: string }): string =>
    `Добавьте сайт ${unicodeHost(host)} в ту же политику или уберите переадресацию на него.`,
  add_start_path: (): string =>
    'Первой страницы у сайта нет. Добавьте начальный путь в «Проверять также», например /base/.',
  fix_start_path: (): string =>
    'Начального пути на сайте нет. Исправьте или удалите его в «Проверять также».',
  fix_status: (): string =>
    'Сотрудник получил вместо страницы ошибку. Если нужен сертификат пользователя или другой путь, исправьте это на сервере или добавьте начальный путь в «Проверять также».',
  front_server: (): string =>
    'Адрес прокси в этой проверке подтверждён. Если он уже есть в замке, перед Apache стоит другой сервер, обычно nginx панели, и Apache видит его адрес вместо посетителя. Поставьте в nginx строки для nginx из «Защитить», а в Apache включите mod_remoteip: «RemoteIPHeader X-Real-IP» и «RemoteIPInternalProxy» с адресом этого nginx. Сам адрес nginx в замок не добавляйте: через него заходят все. Если адреса прокси в замке нет, замените адреса теми, что показывает «Защитить».',
  challenge_page: (): string =>
    'Ответ похож на страницу проверки браузера: она отвечает всем раньше замка. Пусть замок стоит до неё или отключите её для этого сайта.',
  lock_path: (): string =>
    'Этот путь настроен на сервере отдельно, и замок на него не действует. Поставьте строки из «Защитить» и для него: для Apache в папку, куда ведёт Alias, для nginx в этот location.',
  lock_files: (): string =>
    'Этот файл отдаёт сервер, который стоит перед замком, обычно nginx панели, или он лежит в папке без замка. Поставьте строки для nginx из «Защитить» в server этого сайта, а для Apache — в папку, куда ведёт Alias. Если файл должен быть открыт всем, отметьте его в «Открыто намеренно».',
  check_later: (): string => 'Подождите десять минут и нажмите «Проверить» ещё раз.',
  check_again: (): string => 'Нажмите «Проверить» ещё раз.',
  read_again: (): string =>
    'Нажмите «Проверить» ещё раз. Если не поможет, посмотрите на сервере, почему он не отдаёт этот адрес.',
  add_to_policy: (): string => 'Добавьте сайт в политику доступа и нажмите «Проверить» ещё раз.',
  use_cdn_lock: ({ cdn }: { cdn: string }): string =>
    `Сайт работает через ${cdn}: возьмите в «Защитить» вариант для CDN и отключите кеш страниц.`,
  distrust_header: (): string =>
    'Сервер верит адресу в заголовке, кто бы его ни прислал. Уберите RemoteIPHeader, set_real_ip_from или trusted_proxies для всех сетей.',
  lock_whole_site: (): string =>
    'Закрыта только часть сайта. Поставьте строки из «Защитить» на весь сайт, а не на одну папку.',
  paste_lock: (): string =>
    'Вставьте строки из «Защитить» на сервере. Если они уже там, для Apache проверьте, что включён AllowOverride AuthConfig и что их не отменяют другие файлы .htaccess, а для nginx — что они стоят в server этого сайта и настройки перезагружены.',
  renew_own: (): string =>
    'Если в замке остался адрес этого сервера, например от прежней установки, замените адреса в нём теми, что показывает «Защитить». Если замка ещё нет, вставьте строки оттуда.',
  fix_name: (): string => 'Проверьте адрес сайта и запись A или AAAA.',
  fix_family: (): string =>
    'Добавьте сайту адрес того вида, который есть у шлюза (запись A или AAAA). Или задайте шлюзу в GATEWAY_EGRESS адреса обоих видов, узнайте адреса в «Защитить» заново и вставьте строки на сервере.',
  fix_internal: (): string =>
    'Исправьте запись DNS. Для сайта во внутренней сети администратор добавляет её в GATEWAY_ALLOW_NETWORKS.',
  own_proxy: (): string => 'Администратор вашей компании может открыть его через собственный прокси.',
  bypass_cdn: (): string =>
    'Возьмите в «Защитить» вариант для CDN и закройте сервер для всех адресов, кроме адресов CDN. Надёжнее отключить для этого сайта проксирование в CDN.',
  fix_server: (): string =>
    'Причину скажет журнал ошибок сервера. У Apache это чаще всего строка в .htaccess, которой сервер не позволяет: включите AllowOverride AuthConfig и оставьте в файле только наши строки. Файл сохраняйте в UTF-8 без BOM: с BOM или в UTF-16 Apache отвечает 500.',
  renew_lock: (): string =>
    'Откройте «Защитить», узнайте адреса заново и замените ими адреса в замке. Если замок верен, посмотрите, не отвечает ли отказом сама главная страница.',
  fix_firewall: (): string =>
    'Проверьте, что сервер работает и что его межсетевой экран разрешает адреса из «Защитить».',
  move_console: (): string =>
    'Добавьте точку проверки: любую машину вне этой сети, которая посмотрит на сайт как посторонний (кнопка «Точки проверки»). Или задайте шлюзу собственный адрес в GATEWAY_EGRESS.',
  other_vantage: (): string =>
    'Запустите точку на машине в другой сети. Если у этой машины есть второй адрес, укажите его: «PROPUSK_INTERFACE=АДРЕС sh ~/vantage.sh run».',
  allow_private: (): string =>
    'Если сайт и должен открываться только в вашей сети, разрешите это точке: «PROPUSK_ALLOW_PRIVATE=yes sh ~/vantage.sh run». Иначе исправьте запись DNS.',
  start_vantage: (): string =>
    'Запустите программу точки: «sh ~/vantage.sh run». Как только она выйдет на связь, проверка повторится сама.',
  check_proxy: (): string =>
    'Проверьте этот прокси в разделе «Прокси-серверы» и нажмите «Проверить» ещё раз.',
  fix_egress: ({ family }: { family: 4 | 6 }): string =>
    `Проверьте, что сервер консоли сам, без прокси, выходит в интернет по IPv${family}. Если сайт посторонним вовсе не отвечает, пусть отвечает отказом 403: отказ доказывает, что сайт закрыт, а молчание — нет. Если по IPv${family} сайт не работает, удалите его запись ${family === 6 ? 'AAAA' : 'A'}.`,
  read_server_log: (): string => 'Посмотрите журнал сервера за это время и нажмите «Проверить» ещё раз.',
  check_redirect_target: (): string =>
    'Добавьте в список сайтов адрес, на который он переадресует, и проверьте его.',
  find_egress: (): string => 'Откройте «Защитить» и посмотрите, почему не удалось узнать адрес прокси.',
};

type Phrases = typeof phrases;

/** A message of a probe as the api passes and stores it: a code of this table and its parameters. */
export type CheckMessage = {
  [Code in keyof Phrases]: Parameters<Phrases[Code]> extends [infer Params]
    ? { readonly code: Code; readonly params: Params }
    : { readonly code: Code };
}[keyof Phrases];

/** A step of a probe as the api passes and stores it. `detail` is null until the result is known. */
export interface CheckStep extends Pick<ProbeStep, 'vantage' | 'outcome'> {
  readonly title: CheckMessage;
  readonly detail: CheckMessage | null;
  /** The number of requests that the step combines; absent for a single request. */
  readonly count?: number;
  /** What the owner should do; absent until the result is known. */
  readonly advice?: CheckMessage | null;
}

/** Sentences for owners. Each replaces a sentence that names server settings, because an owner cannot change these settings. */
const withoutSettings: { readonly [Code in keyof Phrases]?: Phrases[Code] } = {
  echo_without_name: () => askOperator,
  echo_internal: () => askOperator,
  echo_saw_internal: ({ address }) =>
    `Консоль увидела служебный адрес ${address}: сайты его не видят. Проверьте прокси, а если он исправен, сообщите администратору платформы.`,
  echo_unreached: ({ kind }) =>
    kind === 'gateway'
      ? askOperator
      : 'Прокси не открыл консоль. Проверьте, выпускает ли он в интернет, а если выпускает, сообщите администратору платформы.',
  fix_family: () =>
    'Добавьте сайту адрес того вида, который есть у шлюза (запись A или AAAA), или попросите администратора платформы дать шлюзу адрес второго вида.',
  gateway_on_loopback: () =>
    'Шлюз слушает только этот компьютер, поэтому пользователи до него не дойдут. Сообщите об этом администратору платформы.',
  move_console: () =>
    'Добавьте точку проверки: любую машину вне этой сети, которая посмотрит на сайт как посторонний (кнопка «Точки проверки»).',
};

/** The reader of a message. Only an ADMIN is told which server settings to change. */
export type Reader = 'owner' | 'ADMIN';

/** Renders a message; null stays null. */
export function sayCheck(message: CheckMessage, reader?: Reader): string;
export function sayCheck(message: CheckMessage | null, reader?: Reader): string | null;
export function sayCheck(message: CheckMessage | null, reader: Reader = 'ADMIN'): string | null {
  if (message === null) return null;
  return reader === 'owner' && message.code in withoutSettings
    ? render(message, withoutSettings)
    : render(message);
}

/** Renders a step. */
export const sayStep = (step: CheckStep, reader: Reader): ProbeStep => ({
  title: render(step.title),
  vantage: step.vantage,
  outcome: step.outcome,
  detail: sayCheck(step.detail, reader) ?? '',
  advice: sayCheck(step.advice ?? null, reader),
});

/** @returns an unknown code unchanged, because a newer version can have stored it */
function render(message: Inner | null, sentences: object = phrases): string {
  if (message === null) return '';
  const { code, params } = message;
  const table = sentences as Readonly<Record<string, (params: never) => string>>;
  const say = Object.hasOwn(table, code) ? table[code] : undefined;
  return say === undefined ? code : say(params as never);
}
