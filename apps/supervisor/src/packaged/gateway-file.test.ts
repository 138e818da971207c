import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readConfig } from '@propusk/api/config';
import { expect, test } from 'vitest';
import { gatewayEnvironment } from '../gateway-environment.ts';
import { gatewayFile } from './known-settings.ts';
import { withSettings } from './settings-file.ts';

const secret = 'x'.repeat(32);
const product = {
  PORT: '4000',
  DATABASE_URL: 'postgres://a',
  SECRET_KEY: secret,
  ADMIN_EMAIL: 'a@b.test',
  ADMIN_PASSWORD: 'correct horse',
  SMTP_URL: 'smtp://u:p@mx.test',
  BACKUP_PASSPHRASE: 'phrase',
  DATA_DIR: '/var/lib/propusk',
  NODE_EXTRA_CA_CERTS: '/etc/ca.pem',
  GATEWAY_PORT: '3129',
};

test('the file for the gateway holds its own settings, GATEWAY_SECRET and the address of the api, and no other secret', () => {
  const text = gatewayFile(gatewayEnvironment(product, readConfig(product), secret));
  expect(text.split('\n').toSorted().filter(Boolean)).toEqual([
    "API_URL='http://127.0.0.1:4000'",
    "CONSOLE_URL='http://127.0.0.1:4000'",
    "GATEWAY_OWN_PORTS='4000,3129,5432'",
    "GATEWAY_PORT='3129'",
    expect.stringMatching(/^GATEWAY_PROCESSES='\d+'$/),
    `GATEWAY_SECRET='${secret}'`,
    "NODE_EXTRA_CA_CERTS='/etc/ca.pem'",
  ]);
});

test.each(['plain', 'a # b', "it's", 'a "b" c', 'it\'s "b"', String.raw`back\nslash`])(
  'the file for the gateway gives a value back unchanged: %s',
  (value) => {
    const folder = mkdtempSync(join(tmpdir(), 'propusk-gateway-file-'));
    const path = join(folder, 'settings.env');
    writeFileSync(path, gatewayFile({ GATEWAY_HOSTS: value }));
    expect(withSettings(path, {})).toEqual({ GATEWAY_HOSTS: value });
    rmSync(folder, { recursive: true });
  },
);

test('the file for the gateway refuses a value with all three kinds of quotes', () => {
  expect(() => gatewayFile({ GATEWAY_HOSTS: '\'"`' })).toThrow('GATEWAY_HOSTS');
});
