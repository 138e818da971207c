import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../apps/web/src/', import.meta.url));
const sources = readdirSync(root, { recursive: true, encoding: 'utf8' })
  .filter((path) => /\.(tsx?|css)$/.test(path) && !/\.test\.tsx?$/.test(path))
  .map((path) => ({ path, source: readFileSync(`${root}${path}`, 'utf8') }));

/** A comment may quote the spec and name a colour. */
function code(source: string): string {
  return source.replace(/\/\*[\s\S]*?\*\//g, '').replace(/(^|\s)\/\/.*$/gm, '$1');
}

/** Lines of code outside of some rooms that hold what belongs there. */
function strays(pattern: RegExp, rooms?: RegExp): string[] {
  return sources
    .filter(({ path }) => !rooms?.test(path))
    .flatMap(({ path, source }) =>
      code(source)
        .split('\n')
        .filter((line) => pattern.test(line))
        .map((line) => `${path}: ${line.trim()}`),
    );
}

describe('the sources of the console', () => {
  it('are all looked at', () => {
    expect(sources.length).toBeGreaterThan(80);
  });
  it('console sources have no Cyrillic letter: every sentence is in the phrase tables', () => {
    expect(strays(/\p{Script=Cyrillic}/u)).toEqual([]);
  });
  it('have their colours in the theme alone', () => {
    // The auth area is dark always, and its picture is painted for it.
    const painted = /^(theme\/|shell\/(gate-art\.tsx|auth-shell\.module\.css)$)/;
    expect(strays(/#[0-9a-f]{3,8}\b|\b(rgb|hsl|oklch)a?\(|light-dark\(/i, painted)).toEqual([]);
  });
});
