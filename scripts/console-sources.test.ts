import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../apps/web/src/', import.meta.url));
const sources = readdirSync(root, { recursive: true, encoding: 'utf8' })
  .filter((path) => /\.(tsx?|css)$/.test(path) && !/\.test\.tsx?$/.test(path))
  .map((path) => ({ path, source: readFileSync(`${root}${path}`, 'utf8') }));

/** Strips comments: a comment may quote the spec or name a colour. */
function code(source: string): string {
  return source.replace(/\/\*[\s\S]*?\*\//g, '').replace(/(^|\s)\/\/.*$/gm, '$1');
}

/** Lines of code that match a pattern. @param allowed paths in which the pattern is allowed */
function strays(pattern: RegExp, allowed?: RegExp): string[] {
  return sources
    .filter(({ path }) => !allowed?.test(path))
    .flatMap(({ path, source }) =>
      code(source)
        .split('\n')
        .filter((line) => pattern.test(line))
        .map((line) => `${path}: ${line.trim()}`),
    );
}

describe('console sources', () => {
  it('the scan finds the source files of the console', () => {
    expect(sources.length).toBeGreaterThan(80);
  });
  it('console sources have no Cyrillic letter: every sentence is in the phrase tables', () => {
    expect(strays(/\p{Script=Cyrillic}/u)).toEqual([]);
  });
  it('only the theme and the auth area define colours', () => {
    // The auth area is dark in both schemes, and its picture has colours of its own.
    const painted = /^(theme\/|shell\/(gate-art\.tsx|auth-shell\.module\.css)$)/;
    expect(strays(/#[0-9a-f]{3,8}\b|\b(rgb|hsl|oklch)a?\(|light-dark\(/i, painted)).toEqual([]);
  });
});
