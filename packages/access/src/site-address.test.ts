import { describe, expect, test } from 'vitest';
import { formatSiteAddress, parseSiteAddress } from './site-address.ts';

const stored = (raw: string) => {
  const site = parseSiteAddress(raw);
  return 'fault' in site ? site.fault : formatSiteAddress(site);
};

describe('a pasted site address', () => {
  test.each([
    ['https://crm.example.ru/login?x', 'crm.example.ru'],
    ['  HTTP://CRM.Example.RU  ', 'crm.example.ru'],
    ['https://admin:pw@crm.example.ru/', 'crm.example.ru'],
    ['crm.example.ru:8443', 'crm.example.ru:8443'],
    ['https://crm.example.ru:443', 'crm.example.ru'],
    ['crm.example.ru:', 'crm.example.ru'],
    ['*.example.ru', '*.example.ru'],
    ['*.пример.рф:8080', '*.xn--e1afmkfd.xn--p1ai:8080'],
    ['https://почта.пример.рф', 'xn--80a1acny.xn--e1afmkfd.xn--p1ai'],
    ['romashka.test', 'romashka.test'],
  ])('the pasted site address %s is stored as %s', (raw, address) => expect(stored(raw)).toBe(address));

  test.each([
    ['', 'not_a_host'],
    ['name@company.ru', 'email_address'],
    ['mailto:name@company.ru', 'email_address'],
    ['мой сайт', 'not_a_host'],
    ['https://a.example.ru/ https://b.example.ru/', 'several_addresses'],
    ['a.example.ru/x\nb.example.ru', 'several_addresses'],
    ['*', 'single_label'],
    ['*.*.example.ru', 'not_a_host'],
    ['a.*.example.ru', 'not_a_host'],
    ['127.0.0.1', 'ip_address'],
    ['http://127.1/', 'ip_address'],
    ['2130706433', 'ip_address'],
    ['http://[::1]/', 'ip_address'],
    ['localhost', 'single_label'],
    ['ru', 'single_label'],
    ['co.uk', 'public_suffix'],
    ['*.com.ru', 'public_suffix'],
    ['github.io', 'public_suffix'],
    ['crm.example.ru:0', 'bad_port'],
    ['crm.example.ru:70000', 'bad_port'],
  ])('the pasted site address %s is rejected: %s', (raw, fault) => expect(stored(raw)).toBe(fault));
});
