// Server replies for states that demo data cannot produce: a probe needs a site on the internet.
const now = '2026-01-15T09:00:00.000Z';
const steps = [
  { title: 'Снаружи, https://crm.romashka.test', vantage: 'outside', outcome: 'failed', detail: '200' },
  { title: 'Снаружи, http://crm.romashka.test', vantage: 'outside', outcome: 'passed', detail: '403' },
  { title: 'Снаружи, вложенный путь', vantage: 'outside', outcome: 'skipped', detail: 'сайт открыт и так' },
  { title: 'Через шлюз: https://crm.romashka.test', vantage: 'through', outcome: 'waiting', detail: '' },
];
/** A probe of a site. With a verdict it is done; without one it is running. */
export const check = (verdict: string | null) => ({
  state: verdict === null ? 'running' : 'done',
  verdict,
  meaning: verdict && 'Так отвечает сервер сайта.',
  advice: verdict && 'Сверьте строки замка и проверьте снова.',
  steps,
  startedAt: now,
  finishedAt: verdict && now,
});
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
/** Sites that were protected and no longer are. */
export const drifted = [
  { id: 1, name: 'crm.romashka.test', verdict: 'open', checkedAt: now },
  { id: 2, name: 'wiki.romashka.test', verdict: 'closed', checkedAt: now },
];
/** All four onboarding steps are done. */
export const evidence = {
  siteExists: true,
  lockVerified: true,
  extensionSeen: true,
  userHasPolicy: true,
  drifted: [],
};
/** Every kind of session of one user. Addresses and dates are fixed, so that screenshots compare. */
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
