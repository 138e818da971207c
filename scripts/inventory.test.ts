import { globSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { findGrowing } from './find-growing.ts';
import { readTag } from './inventory.ts';
import { stored } from './inventory-stored.ts';

const found = (text: string) => findGrowing('example.ts', text).map(({ name, tag }) => [name, tag]);

test.each([
  ['a module-level Map that a function fills', 'const a = new Map(); function f(x) { a.set(x, 1); }'],
  ['a typed Set', 'const a = new Set<string>(); export const f = (x) => a.add(x);'],
  [
    'a Map in a function that a closure fills',
    'function f() { const a = new Map(); return (x) => a.set(x, 1); }',
  ],
  ['an array that a closure fills', 'function f() { let a: string[] = []; return { g(x) { a.push(x); } }; }'],
  [
    'a Map that a closure hands to a function',
    'function f() { const a = new Map(); return (x) => put(a, x); }',
  ],
  ['a field of a class', 'class C { a = new Map(); }'],
  ['a private field of a class', 'class C { #a: string[] = []; }'],
  ['a Map in an object', 'const f = () => ({ a: new Map() });'],
  ["a library's cache", 'const a = new LRUCache({ max: 5 }); const f = (x) => a.set(x, 1);'],
])('findGrowing reports %s', (_, text) => expect(found(text)).toEqual([['a', null]]));

test.each([
  ['a table that nothing fills', "const a = new Set(['x']); const f = (x) => a.has(x);"],
  ['a table typed ReadonlySet', "const a: ReadonlySet<string> = new Set(['x']); const f = (x) => put(a, x);"],
  ['a Map that its own function fills', 'function f(x) { const a = new Map(); a.set(x, 1); return a; }'],
  ['a WeakMap', 'const a = new WeakMap(); const f = (x) => a.set(x, 1);'],
  ['a list with content', 'const a = [1]; const f = () => a;'],
])('findGrowing ignores %s', (_, text) => expect(found(text)).toEqual([]));

test('findGrowing joins a tag of several lines into one', () => {
  const text = '// grows: by agents; bound: 5,\n// 1 MB\nconst a = new Map(); const f = (x) => a.set(x, 1);';
  expect(found(text)).toEqual([['a', 'by agents; bound: 5, 1 MB']]);
});

test('readTag turns a complete tag into an entry', () => {
  expect(readTag('x', 'by agents; bound: 5, 1 MB; at the bound: it is emptied; test: none')).toEqual({
    where: 'x',
    by: 'agents',
    bound: '5, 1 MB',
    atBound: 'it is emptied',
    test: 'none',
  });
});

test.each([
  [null, 'no "// grows:" comment'],
  ['by agents', 'the tag is not'],
  ['by agents; bound: 5; test: none', 'the tag is not'],
  ['not', 'the tag is not'],
])('readTag rejects the tag %s', (tag, reason) => expect(() => readTag('x', tag)).toThrow(reason));

test('the inventory lists exactly the tables that the migrations create', () => {
  const files = globSync('apps/api/src/db/migrations/*.sql').map((file) => readFileSync(file, 'utf8'));
  const created = files.flatMap((text) =>
    [...text.matchAll(/^create table (\w+)/gm)].map(([, name = '']) => name),
  );
  // A Set: the migration that partitions the audit creates its table a second time.
  const kept = [...new Set(created)];
  const listed = stored.flatMap(({ where }) => /^table `(\w+)`$/.exec(where)?.[1] ?? []);
  expect(listed.toSorted()).toEqual(kept.toSorted());
});
