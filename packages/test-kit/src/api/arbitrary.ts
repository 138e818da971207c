import fc from 'fast-check';
import { PASSWORD } from './api.ts';
import { openapi } from './openapi-check.ts';
import type { JsonSchema } from './openapi-types.ts';

/**
 * A placeholder for the id or address of a row. The test resolves it when it sends the request, because
 * rows change meanwhile.
 */
export class Known {
  readonly kind: string;
  readonly nth: number;
  /** Whether the row belongs to another company than the caller's. */
  readonly foreign: boolean;
  constructor(kind: string, nth: number, foreign: boolean) {
    this.kind = kind;
    this.nth = nth;
    this.foreign = foreign;
  }
}

/** Placeholders for rows of a kind; one in ten belongs to another company. */
export function known(kind: string): fc.Arbitrary<Known> {
  return fc.tuple(fc.nat(999), fc.nat(9)).map(([nth, chance]) => new Known(kind, nth, chance === 0));
}

/** The kinds of rows that id fields refer to. */
const kinds: Readonly<Record<string, string>> = {
  politics: 'politics',
  users: 'users',
  proxyId: 'proxy',
  companyId: 'company',
};

/** Plausible values for fields where random text passes the schema but fails a later validation. */
const words: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
  email: fc.nat(100_000).map((n) => `fuzz${n}@fuzz.test`),
  // Only few passwords, because each new one costs a hash.
  password: fc.constantFrom(PASSWORD, 'молоко-и-мёд'),
  currentPassword: fc.constantFrom(PASSWORD, 'молоко-и-мёд'),
  host: fc.nat(1000).map((n) => `proxy${n}.fuzz.test`),
  address: fc.oneof(
    known('address'),
    fc.nat(100_000).map((n) => `site${n}.example.ru`),
    fc.nat(1000).map((n) => `https://*.сайт${n}.рф:8443/path?x`),
  ),
};

/** Times with a fraction of up to 200 digits. */
const moments = fc.tuple(fc.nat(4e9), fc.constantFrom(0, 3, 9, 10, 200)).map(([second, digits]) => {
  const fraction = digits === 0 ? 'Z' : `.${'0'.repeat(digits)}Z`;
  return new Date(second * 1000).toISOString().replace('.000Z', fraction);
});

const letters = 'абвгдежзийклмнАБВГДabcdefXYZ0123456789'.split('');
const text = (min: number, max: number) =>
  fc.string({ unit: fc.constantFrom(...letters), minLength: min, maxLength: max });

/** Values that the schema accepts, and that mostly pass the call too. */
export function fitting(given: JsonSchema, field = ''): fc.Arbitrary<unknown> {
  const schema = resolve(given);
  const { type, minimum = -1000, maximum = 1000, minLength = 0, maxLength = 200 } = schema;
  if (words[field] !== undefined && type === 'string') return words[field];
  if (schema.anyOf !== undefined) return fc.oneof(...schema.anyOf.map((one) => fitting(one, field)));
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum);
  if (schema.const !== undefined) return fc.constant(schema.const);
  if (type === 'boolean') return fc.boolean();
  if (type === 'integer' && kinds[field] !== undefined) return known(kinds[field]);
  if (type === 'integer') return fc.integer({ min: minimum, max: Math.min(maximum, minimum + 100_000) });
  if (schema.prefixItems !== undefined) return fc.tuple(...schema.prefixItems.map((one) => fitting(one)));
  if (type === 'array') {
    return fc.array(fitting(schema.items ?? {}, field), { minLength: schema.minItems ?? 0, maxLength: 3 });
  }
  if (type === 'object') return fc.record(partsOf(schema), { requiredKeys: schema.required ?? [] });
  if (schema.format === 'date-time') return moments;
  if (schema.pattern !== undefined && !schema.pattern.includes('\\p')) {
    return fc.stringMatching(new RegExp(schema.pattern, 'u'));
  }
  return fc.oneof(text(minLength, Math.min(maxLength, minLength + 12)), text(maxLength, maxLength));
}

/** Values just outside the schema, or at its bounds. */
export function nearMiss(given: JsonSchema, field = ''): fc.Arbitrary<unknown> {
  const schema = resolve(given);
  const { type, minimum = 0, maximum = 0, minLength = 0, maxLength = 200, maxItems = 1000 } = schema;
  const wrongType = fc.constantFrom(null, true, 1, '1', '', [], {}, [[]], [null]);
  if (schema.anyOf !== undefined) return fc.oneof(...schema.anyOf.map((one) => nearMiss(one, field)));
  if (type === 'integer') {
    const bounds = [minimum - 1, minimum, maximum, maximum + 1, minimum + 0.5, -minimum, 1e21, 2 ** 53];
    return fc.oneof(fc.constantFrom(...bounds, ...bounds.map(String)), wrongType);
  }
  if (schema.prefixItems !== undefined) {
    const places = schema.prefixItems.map((one, place) =>
      fc
        .tuple(fitting(schema), nearMiss(one))
        .map(([whole, wrong]) => (whole as unknown[]).with(place, wrong)),
    );
    return fc.oneof(
      ...places,
      fitting(schema).map((whole) => (whole as unknown[]).slice(1)),
      wrongType,
    );
  }
  if (type === 'array') {
    const item = fitting(schema.items ?? {}, field);
    const twice = item.map((one) => [one, one]);
    const many = fc
      .constantFrom(maxItems, maxItems + 1, 2000)
      .map((n) => Array.from({ length: n }, (_, i) => i + 1));
    return fc.oneof(
      twice,
      nearMiss(schema.items ?? {}, field).map((one) => [one]),
      many,
      wrongType,
    );
  }
  if (type === 'object') {
    const parts = Object.entries(schema.properties ?? {});
    if (parts.length === 0) return wrongType;
    return fc.oneof(
      ...parts.flatMap(([name, part]) => [
        fc.tuple(fitting(schema), nearMiss(part, name)).map(([whole, wrong]) => replace(whole, name, wrong)),
        fitting(schema).map((whole) => replace(whole, name, undefined)),
      ]),
      fc
        .tuple(fitting(schema), fc.constantFrom(...hostileKeys), hostile)
        .map(([whole, key, wrong]) => replace(whole, key, wrong)),
    );
  }
  const lengths = [minLength - 1, minLength, maxLength, maxLength + 1].filter((length) => length >= 0);
  const spoilt = ['\u0000', '\ud800', '\u202e', '\u200b', '😀', ' ', '\n', '\u007f', 'ß', 'İ'];
  return fc.oneof(
    fc.constantFrom(...lengths).map((length) => 'я'.repeat(length)),
    fc.constantFrom(...lengths).map((length) => ' '.repeat(length)),
    fc
      .tuple(fitting(schema, field), fc.constantFrom(...spoilt))
      .map(([fit, bad]) => (typeof fit === 'string' ? fit + bad : bad)),
    ...(schema.enum === undefined
      ? []
      : [fc.constantFrom(...schema.enum.map((one) => String(one).toLowerCase()))]),
    wrongType,
  );
}

/** Keys that no schema declares; some of them are special in JavaScript. */
const hostileKeys = [
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  'company_id',
  'companyId',
  'roles',
  'id',
  'version',
  '',
  '\u0000',
  'a.b',
  '$where',
];

/** Texts known to break parsers and stores. */
export const hostileTexts = [
  '',
  ' ',
  '\u0000',
  'a\u0000b',
  '\ud800',
  '\udfff\ud800',
  '\u202egnp.exe',
  '\u200b\u200d\ufeff',
  '😀👨‍👩‍👧‍👦',
  'e\u0301'.repeat(50),
  'я'.repeat(10_000),
  "'; drop table users; --",
  "' or '1'='1",
  '\\',
  '%',
  '_%_',
  '%\\',
  '$1',
  '<script>alert(1)</script>',
  '"><img src=x onerror=alert(1)>',
  '$(reboot)',
  '`id`',
  '../../etc/passwd',
  '${7*7}',
  '{{7*7}}',
  'null',
  'undefined',
  'NaN',
  '[object Object]',
  'http://[::1]/',
  'xn--',
  'xn--a.ru',
  'xn--80ak6aa92e.com',
  '１２７.0.0.1',
  '0x7f.1',
  'example.ru\r\nx: y',
  '*.*.example.ru',
  'a'.repeat(64) + '.example.ru',
  'пример.рф:65536',
];

const numbers = [
  0,
  -0,
  -1,
  1.5,
  0.1,
  1e-7,
  1e21,
  1e308,
  -1e308,
  2 ** 31,
  2 ** 53,
  2 ** 53 + 2,
  2 ** 63,
  -(2 ** 63),
  1001,
];

/** JSON unrelated to any schema. */
export const hostile: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom(...hostileTexts),
  fc.constantFrom(...numbers),
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.constant(Array.from({ length: 2000 }, (_, i) => i)),
  fc.constantFrom(...hostileKeys).map((key) => replace({}, key, { polluted: true })),
  fc.constantFrom(null, true, [], {}, [[[[]]]], nested(40)),
  fc.jsonValue({ maxDepth: 3 }),
);

function nested(depth: number): unknown {
  return depth === 0 ? 1 : { a: nested(depth - 1) };
}

/** Copies an object with one own key set, even `__proto__`; undefined removes the key. */
function replace(whole: unknown, key: string, value: unknown): unknown {
  const { [key]: _, ...rest } = whole as Record<string, unknown>;
  if (value === undefined) return rest;
  return Object.defineProperty(rest, key, { value, enumerable: true, configurable: true, writable: true });
}

function partsOf(schema: JsonSchema): Record<string, fc.Arbitrary<unknown>> {
  const parts = Object.entries(schema.properties ?? {});
  return Object.fromEntries(parts.map(([name, part]) => [name, fitting(part, name)]));
}

/** Resolves a schema reference. */
export function resolve(schema: JsonSchema): JsonSchema {
  const name = schema.$ref?.replace('#/components/schemas/', '');
  return name === undefined ? schema : (openapi.components.schemas[name] ?? {});
}
