import { globSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { findGrowing } from './find-growing.ts';

const SOURCES = '{apps/{api,gateway,extension,supervisor}/src,packages/*/src}/**/*.ts';
const TESTS = /\.test\.ts$|^packages\/test-kit\//;
/** `Bounded` is for a structure that `findGrowing` reports although it does not grow without limit, and says why. */
const TAG = /^(Grows with .+\. Bound: .+\. At the bound: .+|Bounded: .+)$/;

test('a comment "// Grows with …. Bound: …. At the bound: …" or "// Bounded: …" stands above every structure that grows', () => {
  const files = globSync(SOURCES).filter((file) => !TESTS.test(file));
  const found = files.flatMap((file) =>
    findGrowing(file, readFileSync(file, 'utf8')).map((growing) => ({ file, ...growing })),
  );
  expect(found.length).toBeGreaterThan(50);
  const unbounded = found.filter(({ tag }) => !TAG.test(tag ?? ''));
  expect(unbounded.map(({ file, line, name }) => `${file}:${line} ${name}`)).toEqual([]);
});

const found = (text: string) => findGrowing('example.ts', text).map(({ name, tag }) => [name, tag]);

test.each([
  ['a module-level Map that a function fills', 'const a = new Map(); function f(x) { a.set(x, 1); }'],
  ['an array that a closure fills', 'function f() { let a: string[] = []; return { g(x) { a.push(x); } }; }'],
  [
    'a Map that a closure hands to a function',
    'function f() { const a = new Map(); return (x) => put(a, x); }',
  ],
  ['a private field of a class', 'class C { #a: string[] = []; }'],
  ['a Map in an object', 'const f = () => ({ a: new Map() });'],
])('findGrowing reports %s', (_, text) => expect(found(text)).toEqual([['a', null]]));

test.each([
  ['a table typed ReadonlySet', "const a: ReadonlySet<string> = new Set(['x']); const f = (x) => put(a, x);"],
  ['a Map that its own function fills', 'function f(x) { const a = new Map(); a.set(x, 1); return a; }'],
  ['a WeakMap', 'const a = new WeakMap(); const f = (x) => a.set(x, 1);'],
])('findGrowing ignores %s', (_, text) => expect(found(text)).toEqual([]));

test('findGrowing joins a tag of several lines into one', () => {
  const text = '// Grows with agents. Bound: 5,\n// 1 MB\nconst a = new Map(); const f = (x) => a.set(x, 1);';
  expect(found(text)).toEqual([['a', 'Grows with agents. Bound: 5, 1 MB']]);
});
