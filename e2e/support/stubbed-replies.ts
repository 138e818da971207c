import { sayState } from '@propusk/phrases/state';

// Server replies for states that the demo cannot produce, for example a probe, which needs a site on the internet.
const now = '2026-01-15T09:00:00.000Z';
const fix = 'Сверьте строки замка и проверьте снова.';
const site = 'https://crm.romashka.test';
/** The requests of a probe from outside: the first page, forged headers, other paths. */
const asked = [
  `Снаружи, ${site} (198.51.100.7)`,
  ...['X-Forwarded-For', 'X-Real-IP', 'CF-Connecting-IP', 'True-Client-IP', 'Forwarded'].map(
    (header) => `Снаружи, ${site} (198.51.100.7), с поддельным ${header}`,
  ),
  ...['вложенный путь', '/index.php', 'программа .php', 'файл .css', 'место для сертификата'].map(
    (place) => `Снаружи, ${site} (198.51.100.7), ${place}`,
  ),
  `Снаружи, ${site} (198.51.100.7), страницы и файлы сайта`,
];
/** The number of requests that the last step combines. */
const SAMPLES = 17;
const longPath = `/upload/${'documents-of-the-department-'.repeat(4)}/%D0%B4%D0%BE%D0%B3%D0%BE%D0%B2%D0%BE%D1%80-2026.pdf`;
const through = ['Через шлюз: адрес, который видят сайты', `Через шлюз: ${site}`];

/**
 * A probe of a site: finished with a verdict, or running without one. In an `open` probe the site answers
 * the first two requests, and a request for a file with a long path.
 * @param leadsTo a host that the site redirects to and that its users do not reach
 */
export function check(verdict: string | null, leadsTo: string | null = null) {
  const open = verdict === 'open' ? 2 : 0;
  const outcome = (place: number) => {
    if (verdict === null && place > 2) return { outcome: 'waiting', detail: '', advice: null };
    if (place < open) return { outcome: 'failed', detail: '200', advice: fix };
    const detail = place === asked.length - 1 ? `отказ на ${SAMPLES} запросов` : '403';
    return { outcome: 'passed', detail, advice: null };
  };
  const file = { outcome: 'failed', detail: '200', advice: fix };
  const away = {
    outcome: 'failed',
    detail: `переходит на ${leadsTo}, а сотрудникам он не открыт`,
    advice: null,
  };
  const requests = asked.length - 1 + SAMPLES;
  return {
    state: verdict === null ? 'running' : 'done',
    verdict,
    meaning:
      leadsTo === null
        ? verdict && 'Так отвечает сервер сайта.'
        : `Сайт переходит на ${leadsTo}, а такого сайта в политике нет: сотрудники его не откроют.`,
    advice:
      leadsTo === null
        ? verdict === 'protected'
          ? null
          : verdict && fix
        : `Добавьте сайт ${leadsTo} в ту же политику.`,
    steps: [
      ...asked.map((title, place) => ({ title, vantage: 'outside', ...outcome(place) })),
      ...(verdict === 'open'
        ? [{ title: `Снаружи, ${site} (198.51.100.7), ${longPath}`, vantage: 'outside', ...file }]
        : []),
      ...through.map((title, place) => ({
        title,
        vantage: 'through',
        ...(verdict === null ? outcome(3) : { outcome: 'passed', detail: '200', advice: null }),
        ...(leadsTo !== null && place > 0 && away),
      })),
    ],
    proof: {
      outside: { passed: verdict === null ? 3 : requests - open, of: open > 0 ? requests + 1 : requests },
      through: { passed: verdict === null || leadsTo !== null ? 0 : 1, of: 1 },
    },
    leadsTo,
    startedAt: now,
    finishedAt: verdict && now,
  };
}
/** The start paths and open paths of a site. */
export const probePaths = {
  startPaths: ['/base/', '/personal/%D0%B2%D1%85%D0%BE%D0%B4', longPath],
  openPaths: ['/favicon.ico'],
  ...{ version: 3, createdAt: now, updatedAt: now },
};

/** Three vantages: connected, disconnected, and not paired yet. */
export const vantages = {
  rows: [
    { id: 1, name: 'Дом', address: '203.0.113.9', seenAt: '2026-03-14T16:05:00.000Z', present: true },
    {
      id: 2,
      name: 'Сервер в Казани',
      address: '198.51.100.23',
      seenAt: '2026-03-13T09:30:00.000Z',
      present: false,
    },
    { id: 3, name: 'Ноутбук', address: null, seenAt: null, present: false },
  ],
  count: 3,
};

/** A lock whose egress addresses are known; one proxy's address has changed. */
export const learned = {
  site: { id: 1, name: 'otchet.romashka.test' },
  egress: [
    {
      proxy: { id: 1, name: 'gateway' },
      direct: true,
      politics: [{ id: 1, name: 'Продажи' }],
      addresses: ['203.0.113.10', '2001:db8::10'],
      learnedAt: now,
      stale: false,
      problem: null,
    },
    {
      proxy: { id: 2, name: 'proxy.romashka.test' },
      direct: false,
      politics: [{ id: 2, name: 'Разработка' }],
      addresses: ['198.51.100.7'],
      learnedAt: now,
      stale: true,
      problem: 'Прокси не отвечает: проверьте его адрес и порт.',
    },
  ],
  breaks: [{ id: 1, name: 'otchet.romashka.test' }],
  snippets: [
    {
      kind: 'htaccess',
      title: 'Apache: файл .htaccess',
      place: 'Первыми строками в файл .htaccess в корневой папке сайта',
      text: '<RequireAny>\n    Require ip 203.0.113.10 2001:db8::10 198.51.100.7\n</RequireAny>\n',
      notes: ['Работает, если для папки сайта разрешено AllowOverride AuthConfig.'],
    },
    { kind: 'nginx', title: 'nginx', place: 'Файл сайта', text: 'deny all;\n', notes: [] },
  ],
};
/** The reply to a lock link that an owner shared with a colleague. */
export const shared = { address: 'otchet.romashka.test', snippets: learned.snippets, expiresAt: now };
/** Sites whose lock no longer works. */
export const drifted = [
  { id: 1, name: 'crm.romashka.test', verdict: 'open', checkedAt: now },
  { id: 2, name: 'wiki.romashka.test', verdict: 'closed', checkedAt: now },
];
/** A company that has completed every step of the onboarding card. */
export const evidence = {
  siteExists: true,
  policyHasSite: true,
  lockFound: true,
  lockVerified: true,
  extensionSeen: true,
  visited: true,
  firstStepsDone: true,
  userHasPolicy: true,
  open: 0,
  unchecked: 0,
  drifted: [],
};
const seenExtension = { agent: 'Chrome, Windows', lastSeenAt: '2026-11-20T09:30:00.000Z', version: '0.2.0' };
/** The states of the extension that the list of users distinguishes. */
export const extensionStates = [
  null,
  { ...seenExtension, proxyHeldBy: null },
  { ...seenExtension, proxyHeldBy: 'extension' },
  { ...seenExtension, agent: null, version: null, proxyHeldBy: 'policy' },
] as const;

/** Every kind of session of one user, with fixed addresses and dates for equal screenshots. */
export const sessions = {
  rows: [
    { client: 'console', current: true, address: '203.0.113.24', agent: 'Firefox, Linux' },
    { client: 'extension', current: false, address: '203.0.113.24', agent: 'Firefox, Linux' },
    {
      client: 'console',
      current: false,
      address: '2001:db8:85a3:8d3:1319:8a2e:370:7348',
      agent: 'Chrome, Android',
    },
    { client: 'console', current: false, address: null, agent: null },
  ].map((session, place) => ({ id: place + 1, createdAt: now, lastSeenAt: now, ...session })),
  count: 4,
};

/** Queued mails whose mail server refuses connections. */
export const stuckMail = { count: 3, since: now, failure: 'refused' };

/** An invitation to register a company. */
export const invitation = {
  email: 'new@vasilek.test',
  link: 'https://pass.example.ru/auth/register#invitation=Zm9yIGEgcGljdHVyZSBvbmx5',
  expiresAt: now,
  mailed: true,
};

/** Invitations of a server that sends no mail. */
export const madeInvitations = {
  invitations: ['anna', 'petr'].map((name) => ({
    email: `${name}@romashka.ru`,
    link: `https://pass.romashka.ru/security/login#token=${name.repeat(8)}&for=password`,
  })),
  expiresAt: '2026-12-02T12:00:00.000Z',
  mailed: false,
};

const versioned = { version: 1, createdAt: now, updatedAt: now };
const flags = { paidProxies: false, allSites: false, offered: true, trial: false, standard: false };
const rub = (amount: number) => ({ amount, currency: 'RUB' });
/** The plans of a platform: the standard plan, two offered plans, the plan of the trial, and an archived plan. */
export const plans = {
  rows: [
    { name: 'Старт', price: null, people: 10, sites: 5, proxies: 1, standard: true, companies: 14 },
    { name: 'Команда', price: rub(149_000), people: 50, sites: 20, proxies: 5, companies: 6 },
    {
      ...{ name: 'Бизнес', price: rub(499_050), people: null, sites: null, proxies: 20, companies: 3 },
      ...{ paidProxies: true, allSites: true },
    },
    { name: 'Знакомство', price: null, people: 100, sites: 50, proxies: 10, paidProxies: true, trial: true },
    { name: 'Прежний', price: { amount: 5000, currency: 'KZT' }, people: null, sites: null, proxies: null },
  ].map((plan, at) => ({ ...flags, companies: 0, ...plan, id: at + 1, offered: at < 3, ...versioned })),
  count: 5,
};
const [start, team, business, acquaintance] = plans.rows;
/** The contact of the platform's operator. */
export const contact = {
  ...{ name: 'Ольга Ветрова', phone: '+79161234567', email: 'sales@propusk.test', telegram: 'propusk_sales' },
  version: 1,
};
const request = {
  ...{
    company: { id: 1, name: 'ООО «Ромашка»' },
    email: 'irina@romashka.test',
    phone: '+79031112233',
    reply: '',
  },
  createdAt: now,
};
/** Tariff requests of a company: one open, one refused, one answered. */
export const requests = {
  rows: [
    {
      ...{ id: 3, kind: 'plan', state: 'open', plan: { id: 3, name: 'Бизнес' } },
      text: 'Нужно 12 прокси в разных городах.\nКогда сможете подключить?',
    },
    {
      id: 2,
      kind: 'paid_proxy',
      state: 'refused',
      plan: null,
      text: '',
      reply: 'Сначала перейдите на тариф «Бизнес».',
    },
    {
      id: 1,
      kind: 'trial',
      state: 'answered',
      plan: null,
      text: 'Хотим попробовать.',
      reply: 'Включили до конца месяца.',
    },
  ].map((one) => ({ ...request, ...one })),
  count: 3,
};
/** The tariff of a company that uses more than the smallest plan allows, and can begin the trial. */
export const tariff = {
  version: 1,
  plan: team,
  ownPlan: { id: 2, name: 'Команда' },
  planEndsAt: '2027-03-31T20:59:59.000Z',
  trialEndsAt: null,
  trialRuns: false,
  trialOffered: true,
  trial: acquaintance,
  used: { people: 12, sites: 20, proxies: 1, paidProxies: 0, allSites: 0 },
  phone: '+79031112233',
  offers: [start, team, business],
  contact,
  paidEnd: null,
  requests: requests.rows,
};
/** The tariff of a company whose plan has ended and whose paid proxies stop soon. */
export const endedTariff = {
  ...tariff,
  ...{ plan: start, planEndsAt: null, trialOffered: false, requests: [] },
  used: { people: 12, sites: 20, proxies: 1, paidProxies: 2, allSites: 1 },
  contact: { name: '', phone: '', email: '', telegram: '' },
  paidEnd: {
    ...{ stopsAt: '2027-03-31T20:59:59.000Z', stopped: false },
    ...{ people: ['Анна Орлова', 'Глеб Тихонов'], sites: ['crm.romashka.test', 'otchet.romashka.test'] },
  },
};
const { rows: people } = { rows: ['Анна Орлова', 'Глеб Тихонов', 'Ирина Белова'] };
/** A company with all details that an ADMIN sees. */
export const company = {
  ...{ id: 1, companyName: 'ООО «Ромашка»', companySite: 'romashka.test', secondFactorRequired: false },
  ...{ confirmed: true, domainsBlock: [], ...versioned },
  domainsAllowed: ['crm.romashka.test', 'otchet.romashka.test'].map((address, at) => ({
    id: at + 1,
    address,
  })),
  proxy: [{ id: 7, host: 'proxy.romashka.test', port: '3128' }],
  users: people.map((full, at) => {
    const [name = '', surname = ''] = full.split(' ');
    return { id: at + 1, name, surname, email: `user${at}@romashka.test` };
  }),
  politics: ['Продажи', 'Бухгалтерия', 'Разработка'].map((name, at) => ({ id: at + 1, name })),
};
/** The owner of `company`. */
export const owner = {
  ...{ id: 1, name: 'Ирина', surname: 'Белова', email: 'irina@romashka.test', politics: [], ...versioned },
  ...{ roles: [{ value: 'CREATOR' }], secondFactor: true, invitation: null },
  company: { ...company, hasTariff: true, ending: null },
};
export const admin = {
  ...owner,
  ...{ name: 'Пётр', surname: 'Админов', roles: [{ value: 'ADMIN' }], company: null },
};
const [anna, gleb] = [
  { id: 2, name: 'Анна Орлова' },
  { id: 3, name: 'Глеб Тихонов' },
];
const [crm, otchet] = [
  { id: 1, name: 'crm.romashka.test' },
  { id: 2, name: 'otchet.romashka.test' },
];
/** Visits: an open tunnel, a closed tunnel, and the refusals of one host. */
export const visits = {
  rows: [
    { ...{ kind: 'tunnel', state: 'open', user: anna, site: crm, ms: 754_000 }, up: 48_200, down: 3_400_000 },
    { ...{ kind: 'tunnel', state: 'closed', user: gleb, site: otchet, ms: 12_000 }, up: 900, down: 41_000 },
    {
      ...{ kind: 'refusal', state: 'closed', user: gleb, site: null, policy: null, ms: 0, count: 7 },
      ...{ host: 'games.test', reason: 'site_unknown' },
    },
    {
      ...{ kind: 'tunnel', state: 'closed', user: gleb, site: crm, ms: 95_000, count: 240, visits: 240 },
      ...{ host: '*', port: 0, address: '' },
    },
    {
      ...{ kind: 'loss', state: 'closed', user: null, site: null, policy: null, ms: 61_000, count: 12 },
      ...{ host: '', port: 0, address: '', client: null, reason: 'spool' },
    },
  ].map((visit, at) => ({
    ...{ host: visit.site?.name ?? '', policy: { id: 1, name: 'Продажи' }, proxy: null, port: 443 },
    ...{
      address: '203.0.113.24',
      client: 'chromium-extension-0.2.0',
      reason: '',
      count: 1,
      visits: 1,
      up: 0,
      down: 0,
      startedAt: now,
    },
    ...visit,
    id: `f5a0c1de-0000-4000-8000-00000000000${at}`,
  })),
  next: null,
};
/** The settings of a company's access records. */
export const storage = {
  ...{ addresses: 'full', retentionDays: null, keepNames: true, timeZone: 'Europe/Moscow', platformDays: 90 },
  pending: null,
  ...{ version: 3, createdAt: '2026-01-01T00:00:00.000Z', updatedAt: '2026-01-01T00:00:00.000Z' },
};

/** The start of the day in Moscow that was `days` days ago. */
const dayAgo = (days: number) =>
  new Date(Math.floor(Date.now() / 86_400_000 + 1 / 8 - days) * 86_400_000 - 10_800_000).toISOString();

/** The figures of a company in a week. */
export const figures = {
  people: { now: 14, before: 14 },
  visits: { now: 1240, before: 1000 },
  bytes: { now: 3_400_000_000, before: 2_900_000_000 },
  refusals: { now: 15, before: 30 },
  chart: [180, 210, 190, 240, 12, 8, 400, 150, 260, 140, 190, 20, 10, 230].map((visits, at) => ({
    at: dayAgo(at),
    visits,
    bytes: visits * 2_700_000,
    refusals: at % 4,
  })),
  sites: [crm, otchet].map((site, at) => ({ ...site, visits: 820 - 400 * at, bytes: 2_000_000_000 - at })),
  users: [anna, gleb].map((user, at) => ({ ...user, visits: 640 - 40 * at, bytes: 1_700_000_000 - at })),
  refused: [
    { reason: 'no_policy', user: anna, host: crm.name, site: crm, count: 8 },
    { reason: 'site_unknown', user: gleb, host: 'games.test', site: null, count: 7 },
    { reason: 'bad_credentials', user: null, host: otchet.name, site: otchet, count: 2 },
  ],
  unused: [{ user: gleb, site: crm }],
  idle: [otchet],
};

const day = { createdAt: '2026-10-01T09:00:00.000Z', expiresAt: '2026-10-08T09:00:00.000Z' };

export const invitations = {
  rows: (['waiting', 'used', 'expired', 'withdrawn'] as const).map((state, at) => ({
    ...{ id: at + 1, state, email: `new@romashka${at}.ru`, madeBy: 'admin@pass.example.ru' },
    ...day,
  })),
  count: 4,
};

/** Findings of every level, with the server's own sentences. */
const found = [
  { level: 'ok', code: 'console_up' },
  { level: 'ok', code: 'database_up', params: { bytes: 84_000_000 } },
  { level: 'error', code: 'gateway_down', params: { at: '127.0.0.1:3128' } },
  { level: 'warning', code: 'certificate_ends', params: { name: 'propusk.example.ru', left: 5 } },
  { level: 'warning', code: 'mail_folder' },
  { level: 'unknown', code: 'outside_unseen' },
  { level: 'ok', code: 'backup_fresh', params: { hours: 7, tried: true } },
  { level: 'ok', code: 'disk_free', params: { free: 61_000_000_000 } },
] as const;
export const serverState = {
  version: '0.2.0',
  findings: found.map((each) => ({ code: each.code, level: each.level, ...sayState(each) })),
};
