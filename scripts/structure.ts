import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Product sources: neither tests nor test support. */
export const productFiles: readonly string[] = globSync('{apps,packages}/*/src/**/*.{ts,tsx,sql}').filter(
  (file) => !/\.test\.tsx?$|^packages\/test-kit\//.test(file),
);

/** A directed graph: the targets of each node. */
export type Graph = ReadonlyMap<string, ReadonlySet<string>>;

const SPECIFIER = /\b(?:from|import)\s*\(?\s*'(\.[^']+)'/g;

/** The relative imports of each file, including type imports. @param files paths from the repository's root */
export function importsOf(files: readonly string[]): Graph {
  const known = new Set(files);
  return new Map(
    files.map((file) => {
      const specifiers = [...readFileSync(file, 'utf8').matchAll(SPECIFIER)].map(([, path]) =>
        join(dirname(file), path as string),
      );
      return [file, new Set(specifiers.filter((path) => known.has(path)))];
    }),
  );
}

/** The imports between the direct subfolders of a `src`. Files in `src` itself belong to no folder. */
export function foldersOf(imports: Graph, src: string): Graph {
  const folders = new Map<string, Set<string>>();
  const folderOf = (file: string) => new RegExp(`^${src}/([^/]+)/`).exec(file)?.[1];
  for (const [file, targets] of imports) {
    const folder = folderOf(file);
    if (folder === undefined) continue;
    const edges = folders.get(folder) ?? new Set();
    folders.set(folder, edges);
    for (const other of [...targets].map(folderOf))
      if (other !== undefined && other !== folder) edges.add(other);
  }
  return folders;
}

/**
 * Finds cycles.
 * @returns one path for each cycle: a node, the nodes between, and the first node again
 */
export function circlesOf(graph: Graph): string[] {
  const circles: string[] = [];
  const done = new Set<string>();
  function visit(node: string, path: readonly string[]): void {
    const start = path.indexOf(node);
    if (start >= 0) circles.push([...path.slice(start), node].join(' -> '));
    if (start >= 0 || done.has(node)) return;
    for (const next of graph.get(node) ?? []) visit(next, [...path, node]);
    done.add(node);
  }
  for (const node of graph.keys()) visit(node, []);
  return circles;
}
