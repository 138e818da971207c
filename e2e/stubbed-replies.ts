// Server replies for states that demo data cannot produce: a probe needs a site on the internet.
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
];
const through = ['Через шлюз: адрес, который видят сайты', `Через шлюз: ${site}`];

/**
 * A probe of a site: finished with a verdict, or running without one. In an `open` probe the site answers
 * the first two requests.
 */
export function check(verdict: string | null) {
  const open = verdict === 'open' ? 2 : 0;
  const outcome = (place: number) => {
    if (verdict === null && place > 2) return { outcome: 'waiting', detail: '', advice: null };
    if (place < open) return { outcome: 'failed', detail: '200', advice: fix };
    return { outcome: 'passed', detail: '403', advice: null };
  };
  return {
    state: verdict === null ? 'running' : 'done',
    verdict,
    meaning: verdict && 'Так отвечает сервер сайта.',
    advice: verdict === 'protected' ? null : verdict && fix,
    steps: [
      ...asked.map((title, place) => ({ title, vantage: 'outside', ...outcome(place) })),
      ...through.map((title) => ({
        title,
        vantage: 'through',
        ...(verdict === null ? outcome(3) : { outcome: 'passed', detail: '200', advice: null }),
      })),
    ],
    proof: {
      outside: { passed: verdict === null ? 3 : asked.length - open, of: asked.length },
      through: { passed: verdict === null ? 0 : 1, of: 1 },
    },
    startedAt: now,
    finishedAt: verdict && now,
  };
}
/** A lock whose egress addresses are known; one proxy's address has changed. */
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
  userHasPolicy: true,
  open: 0,
  unchecked: 0,
  drifted: [],
};
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
