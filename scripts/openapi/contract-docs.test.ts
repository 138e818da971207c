import { expect, test } from 'vitest';
import { readContract } from './contract-docs.ts';

const call = "export const getSite = endpoint('GET /site', { query: z.object({ host: z.string() }) });";

test('readContract reports a call, a schema, a field and an error code without a comment', () => {
  const schema = 'export const Site = z.extend(Base, { address: z.optional(Address) });';
  const errors = 'export const errors = { gone: { status: 410 } } as const;';
  expect(readContract([`${call} ${schema} ${errors}`]).missing).toEqual([
    'getSite',
    'getSite.query.host',
    'Site',
    'Site.address',
    'errors.gone',
  ]);
});

test('readContract joins the lines of a comment, and parses its examples as JSON or text', () => {
  const comment =
    '/**\n * Get a site.\n * By its host.\n * @example {"port": 443}\n * @example crm.example.ru\n */';
  expect(readContract([`${comment}\n${call}`]).docs).toEqual({
    texts: { getSite: 'Get a site. By its host.' },
    examples: { getSite: [{ port: 443 }, 'crm.example.ru'] },
  });
});

test('readContract finds the fields of spread, extended, nested and listed objects', () => {
  const source = `
    /** A list. */ export function listOf(row) { return z.object({ /** The rows. */ rows: z.array(row) }); }
    const stamps = { /** The time. */ at: z.string() };
    /** An address. */ export const Address = z.string().check(z.trim());
    /** A base. */ export const Base = z.object({ address: z.nullable(Address), ...stamps });
    /** A site. */ export const Site = z.extend(Base, { /** Its owner. */ owner: z.optional(z.object({ /** Its name. */ name: z.string() })) });
    /** List. */ export const list = endpoint('GET /sites', { reply: listOf(Site) });`;
  const { docs, missing } = readContract([source]);
  expect(missing).toEqual([]);
  expect(docs.texts).toEqual({
    Address: 'An address.',
    Base: 'A base.',
    'Base.address': 'An address.',
    'Base.at': 'The time.',
    Site: 'A site.',
    'Site.address': 'An address.',
    'Site.at': 'The time.',
    'Site.owner': 'Its owner.',
    'Site.owner.name': 'Its name.',
    list: 'List.',
    'list.reply.rows': 'The rows.',
  });
});
