import type { GatewayAccess } from '@propusk/contract/access';
import { expect, it } from 'vitest';
import { curlLine } from './curl-line.ts';

const access: GatewayAccess = {
  version: 1,
  gateway: { scheme: 'http', host: '127.0.0.1', port: 3128 },
  username: 'anna@example.ru',
  password: "a/b+c'",
  expiresAt: '2026-11-21T12:00:00.000Z',
  allSites: false,
  sites: ['*.crm.example.ru'],
  bypass: [],
};

it('the curl command escapes every value for the shell and the URL', () => {
  expect(curlLine(access, access.password)).toBe(
    "curl -x 'http://anna%40example.ru:a%2Fb%2Bc'\\''@127.0.0.1:3128' 'https://crm.example.ru/'",
  );
});

it('the curl command takes http or https by the port of the site', () => {
  const line = (site: string) => curlLine({ ...access, sites: [site] }, '');
  expect(line('crm.example.ru:8081')).toContain("'http://crm.example.ru:8081/'");
  expect(line('crm.example.ru:8443')).toContain("'https://crm.example.ru:8443/'");
});

it('the curl command shows the mask of a hidden password unescaped', () => {
  expect(curlLine(access, '••••')).toContain('anna%40example.ru:••••@127.0.0.1');
});
