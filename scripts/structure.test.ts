import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';

/** Product sources: neither tests nor test support. */
const files = globSync('{apps,packages}/*/src/**/*.{ts,tsx,css,sql}').filter(
  (file) => !/\.test\.tsx?$|^packages\/test-kit\//.test(file),
);
const textOf = (file: string) => readFileSync(file, 'utf8');
/** The auth area is dark in both schemes, and its picture has colours of its own. */
const PAINTED = /^apps\/web\/src\/(theme\/|shell\/(gate-art\.tsx|auth-shell\.module\.css)$)/;
const COLOUR = /#[0-9a-f]{3,8}\b|\b(rgb|hsl|oklch)a?\(|light-dark\(/i;
const SPECIFIER = /\b(?:from|import)\s*\(?\s*'(\.[^']+)'/g;

/** For each direct subfolder of a `src`, the subfolders that its files import, types included. */
function foldersOf(src: string): Map<string, Set<string>> {
  const folders = new Map<string, Set<string>>();
  const folderOf = (file: string) => new RegExp(`^${src}/([^/]+)/`).exec(file)?.[1];
  for (const file of files) {
    const folder = folderOf(file);
    if (folder === undefined) continue;
    const edges = folders.get(folder) ?? new Set();
    folders.set(folder, edges);
    for (const [, path] of textOf(file).matchAll(SPECIFIER)) {
      const other = folderOf(join(dirname(file), path as string));
      if (other !== undefined && other !== folder) edges.add(other);
    }
  }
  return folders;
}

/**
 * Repeatedly removes the folders that import no remaining folder. The rest is part of an import cycle or
 * imports one.
 */
function cyclic(folders: Map<string, Set<string>>): string[] {
  for (;;) {
    const free = [...folders].filter(([, targets]) => [...targets].every((target) => !folders.has(target)));
    if (free.length === 0) return [...folders.keys()];
    for (const [folder] of free) folders.delete(folder);
  }
}

it('the file list of these structure tests holds the product sources', () => {
  expect(files.length).toBeGreaterThan(300);
});
it('cyclic returns the folders on an import cycle, and no others', () => {
  const graph = (edges: Record<string, string[]>) =>
    new Map(Object.entries(edges).map(([from, to]) => [from, new Set(to)]));
  expect(cyclic(graph({ a: ['b'], b: ['c'], c: ['a', 'd'], d: [] }))).toEqual(['a', 'b', 'c']);
  expect(cyclic(graph({ a: ['b', 'c'], b: ['d'], c: ['d'], d: [] }))).toEqual([]);
});
it.each(globSync('apps/*/src'))('no import cycle exists between the folders of %s', (src) => {
  expect(cyclic(foldersOf(src))).toEqual([]);
});
it('only phrase tables contain Cyrillic letters', () => {
  const cyrillic = (file: string) => /\p{Script=Cyrillic}/u.test(textOf(file));
  expect(files.filter((file) => !file.startsWith('packages/phrases/') && cyrillic(file))).toEqual([]);
});
it('no product source imports test support', () => {
  expect(files.filter((file) => textOf(file).includes('@propusk/test-kit'))).toEqual([]);
});
it('only the theme and the auth area of the console define colours', () => {
  const code = (file: string) => textOf(file).replace(/\/\*[\s\S]*?\*\/|(^|\s)\/\/.*$/gm, '');
  const painting = files.filter((file) => file.startsWith('apps/web/src/') && COLOUR.test(code(file)));
  expect(painting.filter((file) => !PAINTED.test(file))).toEqual([]);
});
