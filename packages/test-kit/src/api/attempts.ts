import fc from 'fast-check';
import { fitting, hostile, hostileTexts, type Known, known, nearMiss } from './arbitrary.ts';
import type { Operation } from './openapi-types.ts';

/** One request, with placeholders for ids. */
export interface Attempt {
  /** Encoded segments of the path. */
  readonly segments: readonly (string | Known)[];
  readonly query: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: { readonly json: unknown } | { readonly raw: string | Buffer } | null;
}

/** Random requests to a call: most are nearly valid, some are arbitrary. */
export function attemptsAt(path: string, operation: Operation): fc.Arbitrary<Attempt> {
  const group = path.split('/')[2] ?? '';
  return fc.record({
    segments: fc.tuple(
      ...path
        .slice(1)
        .split('/')
        .map((part) => segment(part, group)),
    ),
    query: queryOf(operation),
    headers,
    body: bodyOf(operation),
  });
}

function segment(part: string, group: string): fc.Arbitrary<string | Known> {
  const name = /^\{(\w+)\}$/.exec(part)?.[1];
  if (name === undefined) return fc.constant(part);
  return fc.oneof(
    { weight: 8, arbitrary: known(name === 'id' ? group : name) },
    { weight: 2, arbitrary: fc.constantFrom(...hostileSegments) },
    { weight: 1, arbitrary: fc.constantFrom(...hostileTexts).map(encode) },
  );
}

const hostileSegments = [
  '0',
  '-1',
  '1.5',
  '1e3',
  '01',
  '+1',
  '9007199254740991',
  '9007199254740992',
  '9223372036854775808',
  '1'.repeat(400),
  'abc',
  '%00',
  '1%00',
  '%2F',
  '..%2F..%2Fme',
  '%2e%2e',
  '%zz',
  '%',
  '%F0%9F%98%80',
  '%ED%A0%80',
  '%C0%AF',
  '%E2%80%AE',
  'me-company',
  'company',
  'null',
  '__proto__',
  'constructor',
  "1'--",
  'x'.repeat(1999),
  'x'.repeat(2100),
  '',
];

function queryOf({ parameters = [] }: Operation): fc.Arbitrary<string> {
  const named = parameters.filter((one) => one.in === 'query');
  const value = (schema: (typeof named)[number]['schema'], name: string) =>
    fc.oneof(
      { weight: 6, arbitrary: fitting(schema, `query-${name}`) },
      { weight: 1, arbitrary: nearMiss(schema, `query-${name}`) },
      { weight: 1, arbitrary: fc.constantFrom(...hostileTexts) },
    );
  const valid = fc
    .record(Object.fromEntries(named.map(({ name, schema }) => [name, value(schema, name)])), {
      requiredKeys: [],
    })
    .map((pairs) =>
      Object.entries(pairs)
        .map(([name, one]) => `${name}=${encode(String(one))}`)
        .join('&'),
    );
  return fc.oneof(
    { weight: 6, arbitrary: valid },
    { weight: named.length > 0 ? 2 : 1, arbitrary: fc.constantFrom('', '', ...hostileQueries) },
  );
}

const hostileQueries = [
  'page=1&page=2',
  'page[]=1',
  'name[a]=1',
  '__proto__=1',
  'constructor[prototype]=1',
  'page=%',
  'name=%00',
  'name=%ED%A0%80',
  'name=%zz',
  'order=asc',
  'order=ASC;drop',
  'take=0',
  'take=101',
  'take=1e1',
  'page=9007199254740991&take=100',
  'page=0x1',
  'page=',
  '&&&=&==',
  'unknown=1',
  `name=${'x'.repeat(10_000)}`,
  Array.from({ length: 2000 }, (_, i) => `k${i}=1`).join('&'),
];

const seldom = (values: readonly string[], weight = 1) =>
  fc.oneof(
    { weight: 8, arbitrary: fc.constant(undefined) },
    { weight, arbitrary: fc.constantFrom(...values) },
  );
const long = 'x'.repeat(10_000);

const headers: fc.Arbitrary<Record<string, string>> = fc
  .record({
    'if-match': seldom(
      ['"1"', '"1"', '*', 'W/"1"', '"1", "2"', '"999999"', '""', '"', '1', '', ',', '\u0001', long],
      3,
    ),
    'idempotency-key': seldom(
      ['k1', 'k2', 'k3', 'k4', '', ' ', 'a b', 'ключ', '\u0000', 'x'.repeat(255), 'x'.repeat(256)],
      3,
    ),
    authorization: seldom([
      'Bearer',
      'Bearer ',
      'Basic dTpw',
      'Bearer a b',
      'Bearer null',
      `Bearer ${long}`,
      '\u0000',
    ]),
    'content-type': seldom([
      'application/json; charset=utf-8',
      'application/json; charset=utf-16',
      'APPLICATION/JSON',
      'text/plain',
      'application/x-www-form-urlencoded',
      'multipart/form-data; boundary=x',
      'application/xml',
      'application/problem+json',
      'application/json, text/plain',
      '/',
      'application',
      '',
      long,
    ]),
    'content-encoding': seldom(['gzip', 'br', 'identity', 'none', '']),
    'content-length': seldom(['0', '1', '-1', 'abc', '1048577', '99999999999']),
    'accept-encoding': seldom(['gzip', 'br;q=1', 'zstd', '*', 'none', 'gzip;q=0']),
    accept: seldom(['text/html', 'image/*', '']),
    'x-forwarded-for': seldom(['127.0.0.1', "'", '::ffff:1.2.3.4']),
    'x-http-method-override': seldom(['DELETE']),
  })
  .map((given) =>
    Object.fromEntries(Object.entries(given).filter((one): one is [string, string] => one[1] !== undefined)),
  );

function bodyOf({ requestBody }: Operation): fc.Arbitrary<Attempt['body']> {
  const schema = requestBody?.content['application/json']?.schema;
  const raw = fc.constantFrom(...rawBodies).map((body) => ({ raw: body }));
  // The call has no body, so sometimes send one anyway.
  if (schema === undefined)
    return fc.oneof({ weight: 12, arbitrary: fc.constant(null) }, { weight: 1, arbitrary: raw });
  const json = fc.oneof(
    { weight: 8, arbitrary: fitting(schema) },
    { weight: 5, arbitrary: nearMiss(schema) },
    { weight: 1, arbitrary: hostile },
  );
  return fc.oneof(
    { weight: 14, arbitrary: json.map((value) => ({ json: value })) },
    { weight: 1, arbitrary: raw },
    { weight: 1, arbitrary: fc.constant(null) },
  );
}

const rawBodies: (string | Buffer)[] = [
  '',
  ' ',
  '{',
  '{}',
  '[]',
  'null',
  '"text"',
  '1',
  'NaN',
  "{'a':1}",
  '{"a":1,}',
  '{"a":1}{"a":1}',
  '\ufeff{}',
  '{"__proto__":{"roles":["ADMIN"]}}',
  '{"constructor":{"prototype":{}}}',
  '{"email":"a@b.ru","email":"c@d.ru"}',
  '{"id":1e999}',
  `{"id":${'9'.repeat(400)}}`,
  '['.repeat(32) + ']'.repeat(32),
  '['.repeat(33) + ']'.repeat(33),
  '['.repeat(100_000),
  '{"a":'.repeat(100_000),
  `"${'x'.repeat(1024 * 1024)}"`,
  Buffer.from([0xff, 0xfe, 0x7b, 0x7d]),
  Buffer.from([0x7b, 0x22, 0xc3, 0x28, 0x22, 0x3a, 0x31, 0x7d]),
  'email=a%40b.ru&password=12345678',
];

/** Encodes text for a URL; a lone surrogate has no encoding. */
function encode(value: string): string {
  return encodeURIComponent(value.toWellFormed());
}
