import type { AuditAction, AuditField, AuditKind } from '@propusk/contract/audit';
import { quoted } from '../quoted.ts';

// Sentences of audit events. They are passive, because an active Russian verb in the past tense has the actor's gender.

const objects: Record<AuditKind, (name: string) => string> = {
  company: (name) => `компания ${quoted(name)}`,
  invitation: (name) => `приглашение для ${name}`,
  user: (name) => `пользователь ${name}`,
  site: (name) => `сайт ${name}`,
  policy: (name) => `политика доступа ${quoted(name)}`,
  proxy: (name) => `прокси-сервер ${name}`,
  vantage: (name) => `точка проверки ${quoted(name)}`,
  plan: (name) => `тариф ${quoted(name)}`,
  request: (name) => `запрос компании ${quoted(name)}`,
  contact: () => 'контакт платформы',
};
const feminine: ReadonlySet<AuditKind> = new Set(['company', 'policy', 'vantage']);
const ending = (kind: AuditKind) => (feminine.has(kind) ? 'ена' : 'ён');
const created = (kind: AuditKind) =>
  kind === 'vantage'
    ? 'добавлена'
    : feminine.has(kind)
      ? 'создана'
      : kind === 'plan' || kind === 'request'
        ? 'создан'
        : 'добавлен';

export const audit = {
  title: 'Журнал',
  help: 'Кто, когда и откуда что изменил. Записи нельзя исправить или удалить: они остаются, даже когда удалены и пользователь, и то, что он менял. Дни считаются по московскому времени. Самих паролей и ссылок в журнале нет, только запись о том, что они изменились.',
  search: 'Кто или что',
  searchEverywhere: 'Кто, что, компания',
  period: 'Период',
  from: 'С',
  to: 'По',
  empty: 'Пока ничего не произошло',
  emptyHint: 'Здесь появится всё, что пользователи меняют в консоли, и их входы.',
  when: 'Когда',
  what: 'Что произошло',
  company: 'Компания',
  platform: 'Платформа',
  where: 'Откуда',
  more: 'Подробнее',
  moscow: (moment: string) => `${moment} МСК`,
  columns: { field: 'Что', before: 'Было', after: 'Стало' },
  /** Sentences of events, shown after the actor's name. */
  events: {
    created: (kind, name) => `${created(kind)} ${objects[kind](name)}`,
    changed: (kind, name) => `измен${ending(kind)} ${objects[kind](name)}`,
    deleted: (kind, name) => `удал${ending(kind)} ${objects[kind](name)}`,
    registered: (_, name) => `зарегистрирована компания ${quoted(name)}`,
    company_invited: (_, name) => `приглашена компания: ${name}`,
    invitation_withdrawn: (_, name) => `отозвано приглашение компании: ${name}`,
    company_confirmed: (_, name) => `подтверждена почта компании ${quoted(name)}`,
    invited_again: (_, name) => `повторно приглашён пользователь ${name}`,
    signed_in: () => 'вход в консоль',
    signed_out: () => 'выход',
    session_ended: () => 'завершение одного из своих сеансов',
    other_sessions_ended: () => 'завершение остальных сеансов',
    password_changed: () => 'смена пароля',
    password_reset: () => 'новый пароль по ссылке из письма',
    email_link_asked: () => 'запрос на смену почты',
    email_confirmed: () => 'подтверждение почты',
    lock_shared: (_, name) => `создана ссылка на замок сайта ${name}`,
    check_asked: (_, name) => `запрошена проверка сайта ${name}`,
    second_factor_on: () => 'включение второго фактора',
    second_factor_off: () => 'выключение второго фактора',
    second_factor_reset: (_, name) => `сброшен второй фактор: ${name}`,
    recovery_code_used: () => 'запасной код вместо кода из приложения',
    recovery_codes_renewed: () => 'новые запасные коды',
    visits_ended: (_, name) => `завершены соединения: ${name}`,
    visits_read: (kind, name) =>
      kind === 'company'
        ? `просмотрены посещения компании ${quoted(name)}`
        : `просмотрены посещения: ${name}`,
    visits_exported: (_, name) => `выгружены посещения компании ${quoted(name)}`,
    support_allowed: () => 'посещения открыты поддержке на сутки',
    support_ended: () => 'посещения закрыты для поддержки',
  } satisfies Record<AuditAction, (kind: AuditKind, name: string) => string>,
  /** Labels of actions in the filter. For other actions, the filter shows the sentence in `events`, which names no object. */
  actions: {
    created: 'добавление и создание',
    changed: 'изменение',
    deleted: 'удаление',
    registered: 'регистрация компании',
    company_invited: 'приглашение компании',
    invitation_withdrawn: 'отзыв приглашения компании',
    company_confirmed: 'подтверждение почты компании',
    invited_again: 'повторное приглашение',
    signed_in: 'вход',
    lock_shared: 'ссылка на замок',
    check_asked: 'запрос проверки сайта',
    second_factor_reset: 'сброс второго фактора',
    visits_ended: 'завершение соединений',
    visits_read: 'просмотр посещений',
    visits_exported: 'выгрузка посещений',
  } as Partial<Record<AuditAction, string>>,
  intoExtension: 'вход в расширение',
  fields: {
    companyName: 'название',
    companySite: 'сайт компании',
    secondFactorRequired: 'второй фактор для всех',
    addresses: 'адреса в журнале доступа',
    retentionDays: 'дней в журнале доступа',
    recordsCutAt: 'меньший срок и имена: в силе с',
    keepNames: 'имена удалённых в журнале доступа',
    timeZone: 'часовой пояс',
    name: 'имя',
    surname: 'фамилия',
    email: 'почта',
    password: 'пароль',
    roles: 'роли',
    address: 'адрес',
    startPaths: 'начальные пути проверки',
    openPaths: 'открыто намеренно',
    politics: 'политики доступа',
    description: 'описание',
    proxy: 'прокси',
    allSites: 'для всех сайтов',
    users: 'пользователи',
    sites: 'сайты',
    proxies: 'прокси-серверы',
    host: 'хост',
    port: 'порт',
    username: 'логин',
    type: 'тип',
    client: 'вход',
    agent: 'браузер',
    price: 'цена в месяц',
    people: 'пользователей не больше',
    paidProxies: 'платные прокси',
    offered: 'предлагается',
    trial: 'для пробного периода',
    plan: 'тариф',
    planEndsAt: 'тариф действует до',
    trialEndsAt: 'пробный период до',
    phone: 'телефон',
    telegram: 'Telegram',
    state: 'состояние',
    text: 'текст запроса',
    reply: 'ответ',
  } satisfies Record<AuditField, string>,
  /** The label of the field `name` of every entity except a user: Russian has another word for the name of a person. */
  objectName: 'название',
  added: (what: string, names: string) => `добавлены ${what}: ${names}`,
  removed: (what: string, names: string) => `убраны ${what}: ${names}`,
  andMore: (count: number) => `и ещё ${count}`,
  newSecret: 'задан новый',
  hidden: 'не показывается',
  yes: 'да',
  no: 'нет',
  clients: { console: 'консоль', extension: 'расширение' } as Readonly<Record<string, string>>,
  roles: { USER: 'агент', CREATOR: 'владелец', ADMIN: 'администратор' } as Readonly<Record<string, string>>,
  addresses: { full: 'целиком', network: 'только сеть', none: 'не сохраняются' } as Readonly<
    Record<string, string>
  >,
  types: { users: 'личный', payment: 'платный', default: 'стандартный' } as Readonly<Record<string, string>>,
};
