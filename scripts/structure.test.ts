import { globSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { circlesOf, foldersOf, importsOf, productFiles } from './structure.ts';

const imports = importsOf(productFiles);
/** Paths of the phrase tables. */
const PHRASES = /^packages\/phrases\/|^apps\/web\/src\/dictionary\//;

describe('circlesOf', () => {
  it('finds a cycle of two nodes, a cycle of three, and none in an acyclic graph', () => {
    const graph = (edges: Record<string, string[]>) =>
      new Map(Object.entries(edges).map(([from, to]) => [from, new Set(to)]));
    expect(circlesOf(graph({ a: ['b'], b: ['a'] }))).toEqual(['a -> b -> a']);
    expect(circlesOf(graph({ a: ['b'], b: ['c'], c: ['a'] }))).toEqual(['a -> b -> c -> a']);
    expect(circlesOf(graph({ a: ['b', 'c'], b: ['d'], c: ['d'], d: [] }))).toEqual([]);
  });
});

describe('product sources', () => {
  it('the scan finds the product sources and their imports', () => {
    expect(productFiles.length).toBeGreaterThan(300);
    expect([...imports.values()].filter((targets) => targets.size > 0).length).toBeGreaterThan(200);
  });
  it('no import cycle exists between files, type imports included', () => {
    expect(circlesOf(imports)).toEqual([]);
  });
  it.each(globSync('apps/*/src'))('no import cycle exists between the folders of %s', (src) => {
    expect(circlesOf(foldersOf(imports, src))).toEqual([]);
  });
  it('only phrase tables contain Cyrillic letters', () => {
    const cyrillic = (file: string) => /\p{Script=Cyrillic}/u.test(readFileSync(file, 'utf8'));
    expect(productFiles.filter((file) => !PHRASES.test(file) && cyrillic(file))).toEqual([]);
  });
  it('no product source imports test support', () => {
    const importing = (file: string) => readFileSync(file, 'utf8').includes('@propusk/test-kit');
    expect(productFiles.filter(importing)).toEqual([]);
  });
});
