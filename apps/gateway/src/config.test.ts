import { Resolver } from 'node:dns';
import { availableParallelism } from 'node:os';
import { overloadSettings } from '@propusk/overload/settings';
import { expect, test } from 'vitest';
import { readConfig, unreachableUrl } from './config.ts';

const GATEWAY_SECRET = 'x'.repeat(32);

test('without settings the defaults apply, and only the secret is required', () => {
  expect(readConfig({ GATEWAY_SECRET })).toEqual({
    host: '127.0.0.1',
    port: 3128,
    processes: availableParallelism(),
    secret: GATEWAY_SECRET,
    apiUrl: 'http://127.0.0.1:3000',
    consoleUrl: 'http://127.0.0.1:3000',
    echoUrl: 'http://127.0.0.1:3000',
    dataDir: './data',
    snapshotMaxAgeMs: 900_000,
    tunnelIdleMs: 3_600_000,
    recordSpool: 100 * 1024 * 1024,
    accessLog: undefined,
    allowNetworks: { v4: [], v6: [] },
    ownAddresses: [],
    ownPorts: [3000],
    hosts: new Map(),
    egress: {},
    dns: [],
    tls: undefined,
    proxyProtocol: [],
    metricsPort: undefined,
    sockets: 21_000,
    memory: overloadSettings.MEMORY.schema.parse(undefined) * 1024 * 1024,
    logLevel: 'info',
  });
});

test("the console's URL is CONSOLE_URL, else PUBLIC_URL, else API_URL", () => {
  const [CONSOLE_URL, PUBLIC_URL, API_URL] = ['https://c.test', 'https://p.test', 'http://a.test:3000/'];
  const consoleOf = (env: Record<string, string>) => readConfig({ GATEWAY_SECRET, ...env }).consoleUrl;
  expect(consoleOf({ CONSOLE_URL, PUBLIC_URL, API_URL })).toBe('https://c.test');
  expect(consoleOf({ PUBLIC_URL, API_URL })).toBe('https://p.test');
  expect(consoleOf({ API_URL })).toBe('http://a.test:3000');
});

test('GATEWAY_HOSTS accepts several names, several addresses and any spelling', () => {
  const GATEWAY_HOSTS = 'CRM.example.ru=10.0.0.5,10.0.0.6, пример.рф=fd00::5';
  expect(readConfig({ GATEWAY_SECRET, GATEWAY_HOSTS }).hosts).toEqual(
    new Map([
      ['crm.example.ru', ['10.0.0.5', '10.0.0.6']],
      ['xn--e1afmkfd.xn--p1ai', ['fd00::5']],
    ]),
  );
});

test('GATEWAY_DNS accepts addresses with and without a port, in the form that Node expects', () => {
  const servers = ['10.0.0.53', '10.0.0.54:5353', 'fd00::53', '[fd00::54]:5353', '[fd00::55]'];
  const { dns } = readConfig({ GATEWAY_SECRET, GATEWAY_DNS: servers.join(', ') });
  expect(dns).toEqual(servers);
  const resolver = new Resolver();
  resolver.setServers([...dns]);
  expect(resolver.getServers()).toEqual([
    '10.0.0.53',
    '10.0.0.54:5353',
    'fd00::53',
    '[fd00::54]:5353',
    'fd00::55',
  ]);
});

test('GATEWAY_EGRESS accepts one address per family', () => {
  const egressOf = (GATEWAY_EGRESS: string) => readConfig({ GATEWAY_SECRET, GATEWAY_EGRESS }).egress;
  expect(egressOf('192.0.2.5')).toEqual({ v4: '192.0.2.5' });
  expect(egressOf('2001:db8::5, 192.0.2.5')).toEqual({ v4: '192.0.2.5', v6: '2001:db8::5' });
});

const dns = 'адреса DNS-серверов через запятую, например 10.0.0.53,[fd00::53]:5353';
const egress =
  'адреса этой машины, с которых шлюз выходит к сайтам: один IPv4, один IPv6 или оба через запятую';
const hosts = 'имена с адресами через запятую, например crm.example.ru=10.0.0.5';
const age =
  'целое число от 60 до 86400 (сервер подтверждает права раз в 15 секунд: с меньшим сроком шлюз отказывал бы всем и при исправном сервере)';
const balancers = 'адреса и сети балансировщиков TCP через запятую, например 10.0.0.4,10.0.1.0/24';
const networks = 'сети через запятую, например 10.0.0.0/8,fd00::/8';
const origin = 'адрес вида https://pass.example.ru, без пути';
test.each([
  ['GATEWAY_PORT', '65536', 'целое число от 0 до 65535'],
  ['GATEWAY_PORT', '-1', 'целое число от 0 до 65535'],
  ['GATEWAY_PORT', '3128x', 'целое число от 0 до 65535'],
  ['SNAPSHOT_MAX_AGE', '0', age],
  ['SNAPSHOT_MAX_AGE', '59', age],
  ['SNAPSHOT_MAX_AGE', '86401', age],
  ['SNAPSHOT_MAX_AGE', '15m', age],
  ['API_URL', '127.0.0.1:3000', origin],
  ['API_URL', 'http://a.test/api', origin],
  ['CONSOLE_URL', 'javascript:alert(1)', origin],
  ['GATEWAY_ALLOW_NETWORKS', '10.0.0.0', networks],
  ['GATEWAY_ALLOW_NETWORKS', '10.0.0.0/33', networks],
  ['GATEWAY_HOSTS', 'crm.example.ru', hosts],
  ['GATEWAY_HOSTS', 'crm.example.ru=', hosts],
  ['GATEWAY_HOSTS', 'crm.example.ru=other.example.ru', hosts],
  ['GATEWAY_HOSTS', '10.0.0.5=10.0.0.6', hosts],
  ['GATEWAY_HOSTS', 'crm=10.0.0.6', hosts],
  ['GATEWAY_DNS', 'dns.example.ru', dns],
  ['GATEWAY_DNS', '10.0.0.53:0', dns],
  ['GATEWAY_DNS', '10.0.0.53,', dns],
  ['GATEWAY_DNS', '[10.0.0.53]', dns],
  ['GATEWAY_PROXY_PROTOCOL', '0.0.0.0/0', balancers],
  ['GATEWAY_PROXY_PROTOCOL', '10.0.0.4,balancer', balancers],
  ['GATEWAY_PROXY_PROTOCOL', 'fe80::1%eth0', balancers],
  ['GATEWAY_METRICS_PORT', '65536', 'порт от 0 до 65535 на 127.0.0.1 для /health и /metrics'],
  ['GATEWAY_METRICS_PORT', 'none', 'порт от 0 до 65535 на 127.0.0.1 для /health и /metrics'],
  ['GATEWAY_EGRESS', 'eth0', egress],
  ['GATEWAY_EGRESS', '192.0.2.5,192.0.2.6', egress],
  ['LOG_LEVEL', 'loud', 'fatal, error, warn, info, debug, trace или silent'],
])('the setting %s=%s stops the start with one line that names it', (name, value, takes) => {
  const line = `Настройка ${name} задана неверно: «${value}». Она принимает: ${takes}`;
  expect(() => readConfig({ GATEWAY_SECRET, [name]: value })).toThrow(new Error(line));
});

test.each([
  [undefined, 'не задана'],
  ['', 'не задана'],
  ['short-and-secret', 'задана неверно'],
])('the error for GATEWAY_SECRET=%s does not repeat the value', (value, shown) => {
  const line = `Настройка GATEWAY_SECRET ${shown}. Она принимает: не меньше 32 случайных символов`;
  expect(() => readConfig({ GATEWAY_SECRET: value })).toThrow(new Error(line));
});

test.each([
  ['127.0.0.1', 'https://gate.example.ru:3128', true],
  ['::1', 'https://gate.example.ru', true],
  ['localhost', 'http://192.0.2.7:3128', true],
  ['0.0.0.0', 'https://gate.example.ru:3128', false],
  ['192.0.2.7', 'https://gate.example.ru:3128', false],
  ['127.0.0.1', 'http://127.0.0.1:3128', false],
  ['127.0.0.1', 'http://localhost:3128', false],
  ['::1', 'http://[::1]:3128', false],
  ['127.0.0.1', undefined, false],
])('unreachableUrl() for a gateway at %s with the URL %s: %s', (host, publicUrl, expected) => {
  expect(unreachableUrl({ host, publicUrl })).toBe(expected ? publicUrl : null);
});
