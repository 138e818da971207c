import { SettingError } from '@propusk/contract/settings';
import { expect, test } from 'vitest';
import { apiSettings, readConfig } from './config.ts';

/** Checks every setting of the api at its extreme values. The types require extremes for each setting. */

type Extremes = readonly [accepted: readonly string[], refused: readonly string[]];
const key: Extremes = [
  ['x'.repeat(32), 'x'.repeat(4_096)],
  ['x'.repeat(31), 'x'.repeat(4_097)],
];
const port: Extremes = [
  ['1', '65535'],
  ['0', '65536', '-1', '3000x'],
];
const path: Extremes = [['/', 'x'.repeat(4_096)], ['x'.repeat(4_097)]];
const host: Extremes = [
  ['127.0.0.1', '::', 'a'.repeat(253)],
  ['a b', 'a'.repeat(254)],
];
const origin: Extremes = [
  ['http://a', `https://${'a'.repeat(60)}.test:65535`],
  ['a.test', 'http://a/b', 'ftp://a'],
];

const extremes: Record<keyof typeof apiSettings, Extremes> = {
  PORT: port,
  HOST: host,
  PUBLIC_URL: origin,
  GATEWAY_PORT: port,
  GATEWAY_HOST: host,
  GATEWAY_PUBLIC_URL: origin,
  ECHO_URL: origin,
  GATEWAY_ALLOW_NETWORKS: [['0.0.0.0/0,::/0'], ['10.0.0.0', '10.0.0.0/33']],
  GATEWAY_HOSTS: [['a.test=10.0.0.5,::1'], ['a.test', 'a=10.0.0.5']],
  GATEWAY_EGRESS: [['192.0.2.5,2001:db8::5'], ['192.0.2.5,192.0.2.6']],
  GATEWAY_OWN_ADDRESSES: [['203.0.113.5,2001:db8::5'], ['pass.test', '203.0.113.0/24']],
  GATEWAY_OWN_PORTS: [['1,65535'], ['0', '65536', 'ssh']],
  GATEWAY_DNS: [['10.0.0.53:1,[fd00::53]:65535'], ['10.0.0.53:0', '10.0.0.53:65536']],
  DATABASE_URL: [
    ['postgres://a', `postgresql://a/${'b'.repeat(4_000)}`],
    ['mysql://a', 'postgres://a b'],
  ],
  SECRET_KEY: key,
  GATEWAY_SECRET: key,
  DATA_DIR: [['.', '/'], []],
  SMTP_URL: [
    ['smtp://a', 'smtps://u:p%25@a:65535'],
    ['http://a', 'smtp://', 'smtp://a:65536'],
  ],
  MAIL_FROM: [
    ['a@b', `${'И'.repeat(100)} <a@b.ru>`],
    ['ivan', `${'И'.repeat(101)} <a@b.ru>`],
  ],
  TRUST_PROXY: [
    ['127.0.0.1', '0.0.0.0/1,::/1'],
    ['0.0.0.0/0', '::/0', 'any'],
  ],
  REGISTRATION: [
    ['open', 'invited', 'closed'],
    ['Open', 'yes'],
  ],
  AUDIT_RETENTION: [
    ['1', '120'],
    ['0', '121'],
  ],
  LOG_RETENTION: [
    ['1', '366'],
    ['0', '367'],
  ],
  EXTENSION_DIR: [['./extension'], []],
  EXTENSION_CHROMIUM_STORE: [
    ['https://chromewebstore.google.com/detail/propusk/gpljgooplcjfekmocbjjmongfpmdllmn'],
    [
      'http://chromewebstore.google.com/detail/gpljgooplcjfekmocbjjmongfpmdllmn',
      'https://chromewebstore.google.com/',
    ],
  ],
  EXTENSION_FIREFOX_STORE: [
    ['https://addons.mozilla.org/firefox/addon/propusk/'],
    ['http://addons.mozilla.org/firefox/addon/propusk/', 'https://addons.mozilla.org/'],
  ],
  DISK_RESERVE: [['./disk.reserve'], []],
  SOCKETS: [
    ['16', '200000'],
    ['15', '200001'],
  ],
  MEMORY: [
    ['128', '65536'],
    ['127', '65537'],
  ],
  TLS: [['auto', 'files', 'off'], ['on']],
  TLS_CERT: path,
  TLS_KEY: path,
  TLS_DIR: path,
  HTTPS_PORT: port,
  HTTP_PORT: port,
  ACME_MAIL: [['a@b.ru'], ['a']],
  ACME_DIRECTORY: [['https://ca.test/dir'], ['http://ca.test/dir', 'https://']],
  // The file does not need to exist, because the api reads ACME_CA only with TLS=auto.
  ACME_CA: path,
  API_METRICS_PORT: [
    ['0', '65535'],
    ['-1', '65536'],
  ],
  HELP_URL: [
    ['http://wiki', 'https://wiki.example.ru/pass?lang=ru#start'],
    ['wiki.example.ru', 'javascript:alert(1)', 'https://'],
  ],
  API_DOCS: [['open', 'closed'], ['yes']],
  STOP_DELAY: [
    ['0', '60'],
    ['-1', '61'],
  ],
  ADMIN_EMAIL: [['a@b.ru'], ['a', `${'a'.repeat(250)}@b.ru`]],
  ADMIN_PASSWORD: [
    ['12345678', 'x'.repeat(200)],
    ['1234567', 'x'.repeat(201)],
  ],
  LOG_LEVEL: [['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'], ['loud']],
};

const partner: Record<string, Record<string, string>> = {
  TLS: { PUBLIC_URL: 'https://pass.test', TLS_CERT: 'cert.pem', TLS_KEY: 'key.pem' },
  ADMIN_EMAIL: { ADMIN_PASSWORD: '12345678' },
  ADMIN_PASSWORD: { ADMIN_EMAIL: 'a@b.ru' },
};
const all = (at: 0 | 1) =>
  Object.entries(extremes).flatMap(([name, one]) => one[at].map((value) => [name, value] as const));

test.each(all(0))('the api reads %s at its extreme value %.40s', (name, value) => {
  expect(() => readConfig({ ...partner[name], [name]: value })).not.toThrow();
});

test.each(all(1))('the api refuses %s=%.40s in one line that names the setting', (name, value) => {
  const read = () => readConfig({ ...partner[name], [name]: value });
  expect(read).toThrow(SettingError);
  expect(read).toThrow(new RegExp(`^[^\\n]*${name}[^\\n]*$`));
});
