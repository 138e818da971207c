import { globSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { circlesOf, foldersOf, importsOf, productFiles } from './structure.ts';

const imports = importsOf(productFiles);
/** The tables that turn codes into sentences, one folder for each language. */
const PHRASES = /^packages\/phrases\/|^apps\/web\/src\/dictionary\//;

describe('circlesOf', () => {
  it('finds a circle of two nodes, a circle of three, and none in a tree', () => {
    const graph = (edges: Record<string, string[]>) =>
      new Map(Object.entries(edges).map(([from, to]) => [from, new Set(to)]));
    expect(circlesOf(graph({ a: ['b'], b: ['a'] }))).toEqual(['a -> b -> a']);
    expect(circlesOf(graph({ a: ['b'], b: ['c'], c: ['a'] }))).toEqual(['a -> b -> c -> a']);
    expect(circlesOf(graph({ a: ['b', 'c'], b: ['d'], c: ['d'], d: [] }))).toEqual([]);
  });
});

describe('the product sources', () => {
  it('are found, and import each other', () => {
    expect(productFiles.length).toBeGreaterThan(300);
    expect([...imports.values()].filter((targets) => targets.size > 0).length).toBeGreaterThan(200);
  });
  it('have no circle of files, type imports included', () => {
    expect(circlesOf(imports)).toEqual([]);
  });
  it.each(globSync('apps/*/src'))('have no circle of folders in %s', (src) => {
    expect(circlesOf(foldersOf(imports, src))).toEqual([]);
  });
  it('sources hold Cyrillic letters only in phrase tables', () => {
    const cyrillic = (file: string) => /\p{Script=Cyrillic}/u.test(readFileSync(file, 'utf8'));
    expect(productFiles.filter((file) => !PHRASES.test(file) && cyrillic(file))).toEqual([]);
  });
  it('import no test support', () => {
    const importing = (file: string) => readFileSync(file, 'utf8').includes('@propusk/test-kit');
    expect(productFiles.filter(importing)).toEqual([]);
  });
});
