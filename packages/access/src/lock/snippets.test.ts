import { LockKind, Snippet } from '@propusk/contract/lock';
import { describe, expect, test } from 'vitest';
import { normalizeEgress, normalizeNetworks } from './addresses.ts';
import { CLOUDFLARE_NETWORKS } from './cloudflare.ts';
import { lockSnippets } from './snippets.ts';

const address = 'crm.example.ru';

describe('normalizeEgress', () => {
  test('normalizeEgress gives canonical addresses without duplicates, in numeric order, IPv4 first', () => {
    expect(
      normalizeEgress([
        '2001:DB8:0:0::5',
        '203.0.113.10',
        '203.0.113.9',
        '2001:db8::5',
        '::ffff:203.0.113.9',
        '::ffff:cb00:710a',
        '2001:db8::4:0',
        '2001:db8::a',
        '9.255.255.255',
      ]),
    ).toEqual([
      '9.255.255.255',
      '203.0.113.9',
      '203.0.113.10',
      '2001:db8::5',
      '2001:db8::a',
      '2001:db8::4:0',
    ]);
    expect(normalizeEgress([])).toEqual([]);
  });

  test.each([
    '',
    ' 203.0.113.5',
    '203.0.113.5\n',
    '203.0.113.5 all granted',
    '203.0.113.5/24',
    '0.0.0.0',
    '0.0.0.0/0',
    '::',
    '::/0',
    '203.0.113',
    '203.0.113.256',
    '203.0.113.05',
    '0x7f000001',
    '3405803781',
    '127.1',
    'localhost',
    'crm.example.ru',
    '[2001:db8::5]',
    'fe80::1%eth0',
    '2001:db8::5]/',
    '2001:db8::5::1',
    '2001:db8:::5',
    'all',
    '2001:db8::5\nRequire all granted',
    '203.0.113.5;}',
    '２０３.0.113.5',
  ])('normalizeEgress rejects %j', (raw) =>
    expect(() => normalizeEgress(['203.0.113.5', raw])).toThrow(RangeError),
  );
});

describe('normalizeNetworks', () => {
  test("normalizeNetworks leaves Cloudflare's list unchanged", () => {
    expect(normalizeNetworks(CLOUDFLARE_NETWORKS)).toEqual(CLOUDFLARE_NETWORKS);
    expect(new Set(CLOUDFLARE_NETWORKS).size).toBe(22);
  });

  test.each([
    '10.0.0.0',
    '10.0.0.0/33',
    '2001:db8::/129',
    '10.0.0.0/',
    '10.0.0.0/8/8',
    'all/8',
    '10.0.0.0/8 all',
    '0.0.0.0/0',
    '::/0',
  ])('normalizeNetworks rejects %j', (raw) => expect(() => normalizeNetworks([raw])).toThrow(RangeError));
});

describe('lockSnippets', () => {
  const all = lockSnippets({ address, egress: ['2001:db8::5', '203.0.113.5', '203.0.113.5'] });

  test('lockSnippets returns one text for every kind of server in the contract', () => {
    expect(all.map(({ kind }) => kind).toSorted()).toEqual([...LockKind.options].toSorted());
    for (const snippet of all) expect(Snippet.parse(snippet)).toEqual(snippet);
  });

  test.each(all)(
    'the lock text for $kind names the site, allows both addresses, and has notes',
    ({ text, notes, place }) => {
      expect(text.startsWith('# Пропуск: crm.example.ru ')).toBe(true);
      expect(text.endsWith('\n')).toBe(true);
      expect(text).toMatch(/203(\.|\\\.)0/);
      expect(text).toContain('2001:db8::5');
      expect(place).toMatch(/[а-я]/);
      expect(notes.at(-1)).toContain('«Проверить»');
      for (const note of notes) expect(note).toMatch(/[а-я].*[.!]$/s);
    },
  );

  test("only the lock texts for a site behind a CDN contain the CDN's networks", () => {
    for (const { kind, text } of all) {
      expect(/cf.connecting.ip/i.test(text)).toBe(kind.endsWith('-cdn'));
      expect(text.includes('104.16.0.0/13')).toBe(kind.endsWith('-cdn'));
    }
  });

  test("LiteSpeed's rewrite rules match only the whole egress address, also in its IPv4-mapped form", () => {
    const rule = all.find(({ kind }) => kind === 'litespeed')?.text ?? '';
    const visitor = new RegExp(/REMOTE_ADDR\} !(\S+)/.exec(rule)?.[1] ?? '$^');
    for (const known of ['203.0.113.5', '::ffff:203.0.113.5', '2001:db8::5']) expect(known).toMatch(visitor);
    for (const other of [
      '203.0.113.50',
      '1203.0.113.5',
      '203a0b113c5',
      '2001:db8::55',
      '::ffff:2001:db8::5',
    ]) {
      expect(other).not.toMatch(visitor);
    }
  });

  test('lockSnippets does not depend on the order of addresses', () => {
    expect(lockSnippets({ address, egress: ['203.0.113.5', '2001:DB8::5'] })).toEqual(all);
  });

  test('lockSnippets returns no lock text when no egress address is given', () => {
    expect(lockSnippets({ address, egress: [] })).toEqual([]);
  });

  test.each([
    'CRM.example.ru',
    'https://crm.example.ru',
    'crm.example.ru\nRequire all granted',
    'crm.example.ru {',
    'crm.example.ru:443',
    'crm.example.ru/admin',
    'пример.рф',
    '127.0.0.1',
    '',
  ])('lockSnippets rejects the site address %j', (raw) => {
    expect(() => lockSnippets({ address: raw, egress: ['203.0.113.5'] })).toThrow(RangeError);
  });

  test('lockSnippets rejects an egress or CDN entry that is no address', () => {
    for (const raw of ['203.0.113.5\nRequire all granted', 'all', '0.0.0.0/0', '1.1.1.1; }']) {
      expect(() => lockSnippets({ address, egress: [raw] })).toThrow(RangeError);
      expect(() => lockSnippets({ address, egress: ['203.0.113.5'], cdn: [raw] })).toThrow(RangeError);
    }
  });
});
