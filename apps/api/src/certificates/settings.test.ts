import { expect, test } from 'vitest';
import { readConfig } from '../config.ts';

const auto = (more: Record<string, string>) =>
  readConfig({ TLS: 'auto', PUBLIC_URL: 'https://pass.test', DATA_DIR: '/data', ...more }).tls;
const placesOf = (more: Record<string, string>) =>
  auto(more)?.acme?.orders.map(({ name, places }) => [name, ...places.map(({ key }) => key)]);

test('TLS=auto orders one certificate for each name of console and gateway', () => {
  expect(placesOf({ GATEWAY_PUBLIC_URL: 'https://gate.test:3128', TLS_DIR: '/shared' })).toEqual([
    ['pass.test', '/data/tls/console/key.pem'],
    ['gate.test', '/shared/gateway/key.pem'],
  ]);
  expect(placesOf({ GATEWAY_PUBLIC_URL: 'https://pass.test:3128' })).toEqual([
    ['pass.test', '/data/tls/console/key.pem', '/data/tls/gateway/key.pem'],
  ]);
});

test.each(['http://gate.test:3128', 'https://192.0.2.1:3128'])(
  'TLS=auto orders no certificate for the gateway at %s',
  (url) => {
    expect(placesOf({ GATEWAY_PUBLIC_URL: url })).toHaveLength(1);
    expect(auto({ GATEWAY_PUBLIC_URL: url })?.gateway).toBeUndefined();
  },
);

test.each([
  [{ PUBLIC_URL: 'http://pass.test' }, 'TLS=auto требует PUBLIC_URL с https и именем из DNS'],
  [{ PUBLIC_URL: 'https://192.0.2.1' }, 'TLS=auto требует PUBLIC_URL с https и именем из DNS'],
  [{ PUBLIC_URL: 'https://localhost' }, 'TLS=auto требует PUBLIC_URL с https и именем из DNS'],
  [{ PUBLIC_URL: 'http://pass.test', TLS: 'files' }, 'TLS=files требует PUBLIC_URL с https'],
  [{ TLS: 'files', TLS_CERT: 'cert.pem' }, 'TLS=files требует TLS_CERT и TLS_KEY'],
  [{ ACME_CA: '/none/ca.pem' }, 'Файл «/none/ca.pem» не читается. Проверьте настройку ACME_CA'],
])('tlsConfig refuses the settings %o', (more, line) => {
  expect(() => auto(more)).toThrow(line);
});
