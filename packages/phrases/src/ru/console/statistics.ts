// Texts of the statistics, of the connections that are open now, and of the access log.
import type { StoredAddresses } from '@propusk/contract/record-settings';
import type { RecordKind, Visit } from '@propusk/contract/records';
import type { denyPhrases } from '../access.ts';
import { count, days } from '../count.ts';
import type { proxyErrors } from '../gateway.ts';

const times = (n: number) => count(n, { one: 'раз', few: 'раза', many: 'раз' });

export const visits = {
  /** Why the gateway refused or ended a visit, by reason code. */
  reasons: {
    user_removed: 'Нет в компании',
    bad_host: 'Адрес вместо имени сайта',
    port_refused: 'Порт не открыт',
    ended: 'Завершено владельцем',
    site_unknown: 'Сайта нет в списке',
    no_policy: 'Нет политики доступа',
    host_taken: 'Сайт другой компании',
    plan_ended: 'Платный прокси не входит в тариф',
    suspended: 'Доступ приостановлен',
    not_yet: 'Доступ ещё не начался',
    right_ended: 'Срок доступа истёк',
    outside_hours: 'Вне рабочих часов',
    clock_unknown: 'Шлюз не знал точного времени',
    no_credentials: 'Без логина и пароля',
    bad_credentials: 'Неверный логин или пароль',
    expired: 'Пароль шлюза больше не действует',
    address_refused: 'Сайт ведёт на внутренний адрес',
    resolve_failed: 'Имя сайта не найдено в DNS',
    no_family: 'Сайт и шлюз не соединить: IPv4 и IPv6',
    names_busy: 'Слишком много запросов к DNS',
    connect_failed: 'Сайт не принял соединение',
    bad_response: 'Ответ нарушает правила HTTP',
    upstream_failed: 'Прокси не пропустил запрос',
    timeout: 'Сайт не ответил вовремя',
    snapshot_stale: 'Шлюз без свежих данных о доступе',
    bad_request: 'Непонятный запрос',
    sni_mismatch: 'В соединении запрошен другой сайт',
    loop: 'Запрос вернулся на шлюз',
    too_many: 'Слишком много соединений',
    stopping: 'Шлюз перезапускался',
  } satisfies Record<keyof typeof denyPhrases | keyof typeof proxyErrors, string> as Readonly<
    Record<string, string>
  >,
  states: { open: 'Открыто', closed: 'Завершено', interrupted: 'Прервано' } satisfies Record<
    Visit['state'],
    string
  >,
  refused: 'Отказ',
  kinds: {
    tunnel: 'Соединение',
    websocket: 'WebSocket',
    requests: 'Запросы без шифрования',
    refusal: 'Отказ',
    loss: 'Записи не поместились',
  } satisfies Record<RecordKind, string>,
  /** The number of records that a gateway lost; 0 if it is unknown. */
  lost: (n: number) =>
    n === 0 ? 'Записи потеряны' : `Потеряно: ${count(n, { one: 'запись', few: 'записи', many: 'записей' })}`,
  /** Why records are lost. */
  losses: {
    spool: 'Консоль долго не отвечала шлюзу',
    rejected: 'Консоль не приняла записи шлюза',
    killed: 'Шлюз остановился аварийно',
    capped: 'Слишком много отказов посторонним',
  } as Readonly<Record<string, string>>,
  /** Shown in place of the host for a record that covers several hosts. */
  several: 'Разные сайты',
  times,
  visits: (n: number) => count(n, { one: 'посещение', few: 'посещения', many: 'посещений' }),
  /** A number of bytes, as a whole number or with one decimal. */
  bytes: (amount: string, unit: 0 | 1 | 2 | 3 | 4) => `${amount} ${['Б', 'КБ', 'МБ', 'ГБ', 'ТБ'][unit]}`,
  seconds: (n: number) => `${n} с`,
  minutes: (n: number) => `${n} мин`,
  hours: (n: number, minutes: number) => `${n} ч ${minutes} мин`,
  someone: 'Не представился',
  deleted: 'Удалённый пользователь',
  notStored: 'Не сохранён',
  site: 'Сайт',
  person: 'Пользователь',
  when: 'Начало',
  where: 'Откуда',
  result: 'Результат',
  traffic: 'Трафик',
  more: 'Показать ещё',
  own: 'Мои посещения',
  ownHint: 'Сайты, которые вы открывали через «Пропуск», и отказы. Их видит и владелец компании.',
  ownEmpty: 'Пока ничего. Посещение появится здесь через несколько секунд после того, как вы откроете сайт.',
  failed: 'Посещения не загрузились',
};

export const statistics = {
  title: 'Статистика',
  help: 'Кто и какие сайты открывал через «Пропуск». Сохраняются только имя сайта, время, объём и, если вы это разрешили, адрес клиента: ни страниц, ни содержимого здесь нет.',
  parts: { overview: 'Обзор', now: 'Сейчас', log: 'Журнал доступа', storage: 'Хранение' },
  sections: 'Разделы статистики',
  failed: 'Статистика не загрузилась',
  /** Shown before the reason why the update failed. */
  old: (time: string) => `Данные на ${time}: обновить их не получилось.`,
  emptyTitle: 'Посещений ещё не было',
  emptyHint:
    'Цифры появятся через несколько секунд после того, как кто-нибудь из компании откроет сайт через «Пропуск».',
  period: 'Период',
  periods: { 1: 'Сегодня', 7: '7 дней', 30: '30 дней', own: 'Свой период' },
  from: 'С',
  to: 'По',
  zone: (zone: string) => `Часовой пояс: ${zone}`,
  tooLong: 'Выберите период от одного дня до года.',
  figures: { people: 'Активные пользователи', visits: 'Посещения', bytes: 'Трафик', refusals: 'Отказы' },
  /** Compares a number with the previous period. @param percent null when `before` is zero */
  change: (now: string, before: string, percent: number | null) =>
    percent === null
      ? 'за прошлый период: нет'
      : percent === 0 || now === before
        ? `${before}: столько же`
        : `на ${Math.abs(percent)} % ${percent > 0 ? 'больше' : 'меньше'}: было ${before}`,
  /** Compares today with the whole of yesterday, without a percentage, because today is not over. */
  yesterday: (before: string) => `вчера за весь день: ${before}`,
  chart: 'По времени',
  chartOf:
    'Столбцы посещений, бледная линия посещений за прошлый период и линия отказов; те же числа в таблице ниже',
  visitsBefore: 'Посещения за прошлый период',
  before: 'Прошлый период',
  was: (visits: number) => `было ${visits}`,
  table: 'Таблица',
  time: 'Время',
  topSites: 'Чаще всего открывают',
  topPeople: 'Самые активные',
  none: 'За этот период никого',
  refused: 'Отказы по причинам',
  refusedHint:
    'Проверка доступа объяснит отказ и предложит, как его исправить. Сайт, которого нет в списке, можно добавить здесь.',
  add: 'Добавить сайт',
  addOf: (host: string) => `Добавить сайт ${host}`,
  check: 'Проверить доступ',
  checkOf: (person: string, host: string) => `Проверить доступ: ${person}, ${host}`,
  unused: 'Доступом не пользуются 30 дней',
  unusedHint: 'Этот доступ можно снять: за 30 дней им не воспользовались.',
  idle: 'Сайты без посещений за 30 дней',
  nothing: 'Таких нет',

  live: 'Открытые соединения',
  liveEmpty: 'Сейчас никто не подключён',
  liveEmptyHint: 'Соединение появится здесь через пару секунд после того, как откроется.',
  end: 'Завершить',
  endAll: 'Завершить все соединения пользователя',
  endQuestion: 'Завершить соединение?',
  endAllQuestion: 'Завершить все соединения?',
  endHint:
    'Браузер может сразу подключиться снова, потому что доступ остаётся. Чтобы он не вернулся, снимите доступ.',
  ended: 'Соединение завершено',
  endedAll: 'Соединения завершены',
  revoke: 'Снять доступ',
  open: 'Открыть',

  log: 'Записи о доступе',
  logEmpty: 'Записей пока нет',
  logEmptyHint: 'Посещение или отказ появится здесь через пару секунд.',
  logNone: 'По этим условиям записей нет',
  all: 'Все',
  allowed: 'Посещения',
  reason: 'Причина',
  month: 'Результат, причина и адрес ищутся в пределах 31 дня.',
  detail: 'Запись',
  detailTerms: {
    id: 'Номер',
    port: 'Порт',
    policy: 'Политика',
    proxy: 'Прокси',
    duration: 'Длительность',
    count: 'Запросов',
    up: 'От пользователя',
    down: 'К пользователю',
    kind: 'Вид',
    client: 'Программа',
  },
  gateway: 'Шлюз платформы',
  storage: {
    lead: 'Что журнал доступа и статистика хранят о людях компании и как долго.',
    edit: 'Изменить хранение',
    addresses: 'Адреса пользователей',
    stored: { full: 'Целиком', network: 'Только сеть', none: 'Не сохраняются' } satisfies Record<
      StoredAddresses,
      string
    >,
    storedMeans: {
      full: 'В журнале виден точный адрес: по нему можно отличить дом от офиса и заметить чужой вход.',
      network:
        'От адреса остаётся только сеть: /24 для IPv4, /48 для IPv6. Виден провайдер, но не подключение человека.',
      none: 'Откуда человек открывал сайты, в журнале не видно. Чужой вход по адресу тоже не заметить.',
    } satisfies Record<StoredAddresses, string>,
    addressesHint:
      'Меняются только новые записи, в прежних адреса останутся. Попытки без верного пароля шлюз записывает с полным адресом: чьи они, неизвестно, и компаниям они не видны.',
    retention: 'Срок хранения',
    days,
    retentionMeans: (most: number) =>
      `Потом посещения и статистика о них удаляются навсегда. Предел платформы: ${days(most)}.`,
    retentionDays: 'Срок хранения, дней',
    retentionHint: (most: number) =>
      `От 1 до ${most}. Оставьте пустым, чтобы хранить столько же, сколько платформа. Всё, что старше, удаляется навсегда.`,
    names: 'Имена удалённых пользователей',
    namesKept: 'Остаются',
    namesGone: 'Удаляются',
    namesMean: {
      true: 'После удаления человека его прежние посещения остаются под его именем, пока не выйдет срок.',
      false: 'Вместе с человеком из журнала доступа исчезает его имя, посещения остаются без имени.',
    },
    keepNames: 'Оставлять имена удалённых пользователей',
    keepNamesHint: 'Без отметки исчезнут и те имена, что уже остались. Вернуть их нельзя.',
    cutHint:
      'Так журнал будет хранить меньше. Подтвердите паролем: изменение вступит в силу через 72 часа, остальные владельцы получат письмо, и любой сможет его отменить.',
    pending: (
      { retentionDays, keepNames, by }: { retentionDays: number | null; keepNames: boolean; by: string },
      kept: number,
      moment: string,
    ) =>
      [
        `${moment} журнал станет хранить меньше: ${retentionDays === null || retentionDays >= kept ? '' : days(retentionDays)}${retentionDays !== null && retentionDays < kept && !keepNames ? ', ' : ''}${keepNames ? '' : 'без имён удалённых пользователей'}.`,
        ...(by === '' ? [] : [`Изменил ${by}.`]),
        'Потом удалённое не вернуть.',
      ].join(' '),
    cancelPending: 'Отменить изменение',
    pendingCancelled: 'Изменение отменено, журнал хранит столько же',
    zone: 'Часовой пояс',
    /** Russian time zones, which the list shows first. */
    cities: {
      ...{ 'Europe/Kaliningrad': 'Калининград', 'Europe/Moscow': 'Москва', 'Europe/Samara': 'Самара' },
      ...{ 'Asia/Yekaterinburg': 'Екатеринбург', 'Asia/Omsk': 'Омск', 'Asia/Novosibirsk': 'Новосибирск' },
      ...{ 'Asia/Krasnoyarsk': 'Красноярск', 'Asia/Irkutsk': 'Иркутск', 'Asia/Yakutsk': 'Якутск' },
      ...{ 'Asia/Vladivostok': 'Владивосток', 'Asia/Magadan': 'Магадан', 'Asia/Sakhalin': 'Сахалин' },
      'Asia/Kamchatka': 'Камчатка',
    },
    zoneMeans: 'По нему считаются дни в статистике и показано время в журнале доступа, где бы вы ни были.',
  },

  export: {
    progress: (rows: number, bytes: string) => `Получено строк: ${rows}, ${bytes}`,
    mail: 'Почта',
    /** The name of the exported file, without its extension. */
    file: (company: string, first = '', last = '') =>
      `Журнал доступа ${company}${first === '' ? '' : ` с ${first}`}${last === '' ? '' : ` по ${last}`}`,
  },
  support: 'Показать поддержке',
  supportHint:
    'Администраторы платформы 24 часа смогут читать посещения вашей компании: кто, какие сайты и когда открывал. Открытие, чтение и закрытие останутся в журнале.',
  supportAllow: 'Показать на 24 часа',
  supportUntil: (moment: string) => `Поддержка видит посещения до ${moment}`,
  supportFailed: 'Доступ поддержки не загрузился',
  supportEnd: 'Закрыть доступ',
  supportAllowed: 'Посещения открыты поддержке',
  supportEnded: 'Посещения закрыты для поддержки',
};
