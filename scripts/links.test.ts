import { execFileSync } from 'node:child_process';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path/posix';
import { expect, test } from 'vitest';
import { unchangedFiles } from './package/stage.ts';

const tracked = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
  encoding: 'utf8',
})
  .split('\n')
  .filter((path) => existsSync(path));
const packaged = unchangedFiles();
const textOf = (path: string) => readFileSync(path, 'utf8');

/** The text of a page without its code, whose brackets are no links. */
const proseOf = (page: string) => page.replace(/^(```|~~~)[^]*?^\1/gm, '').replace(/`[^`\n]*`/g, 'code');

/** The targets of links and pictures of a page that are no addresses on the internet. */
function linksOf(page: string): string[] {
  const found = proseOf(page).matchAll(
    /\]\(([^)\s]+)[^)]*\)|^\[[^\]]+\]: (\S+)|\b(?:href|src|srcset)="([^"]+)"/gm,
  );
  const links = [...found].map((match) => match.slice(1).find((link) => link !== undefined) ?? '');
  return links.filter((link) => !/^(?:[a-z]+:|\/)/.test(link));
}

/** The anchors that GitHub gives to the headings of a page: lower case, hyphens for spaces, a number for a repeated one. */
function anchorsOf(page: string): Set<string> {
  const anchors = new Map<string, number>();
  for (const [, title = ''] of page.replace(/^(```|~~~)[^]*?^\1/gm, '').matchAll(/^#{1,6} (.+)$/gm)) {
    const text = title.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1').toLowerCase();
    const anchor = text
      .replace(/[^\p{L}\p{N}\p{M}_ -]/gu, '')
      .trim()
      .replaceAll(' ', '-');
    anchors.set(anchor, (anchors.get(anchor) ?? -1) + 1);
  }
  return new Set(
    [...anchors].flatMap(([name, last]) =>
      Array.from({ length: last + 1 }, (_, n) => (n ? `${name}-${n}` : name)),
    ),
  );
}

/** Finds links to a file or folder that is not in `files`, and links to a heading that does not exist. @param files paths; the Markdown ones are read */
function brokenLinks(files: readonly string[]): string[] {
  const folders = files.flatMap((file) =>
    file.split('/').map((_, depth, parts) => parts.slice(0, depth).join('/')),
  );
  const known = new Set([...files, ...folders]);
  const isBroken = (page: string, link: string) => {
    const [file = '', anchor] = decodeURI(link).split('#');
    const target = file === '' ? page : join(page, '..', file).replace(/\/$/, '');
    return !known.has(target) || (anchor !== undefined && !anchorsOf(textOf(target)).has(anchor));
  };
  const pages = files.filter((file) => file.endsWith('.md'));
  return pages.flatMap((page) =>
    linksOf(textOf(page)).flatMap((link) => (isBroken(page, link) ? [`${page}: ${link}`] : [])),
  );
}

test('linksOf finds links, pictures and reference definitions, but none in code or on the internet', () => {
  const page =
    '[a](b.md#c) ![d](e.png "f") <img src="g.png"> `[h](i)` [j](https://k.ru) [l](mailto:m@n.ru)\n\n[o]: p.md\n\n```\n[q](r)\n```\n';
  expect(linksOf(page)).toEqual(['b.md#c', 'e.png', 'g.png', 'p.md']);
});

test('anchorsOf forms anchors as GitHub does', () => {
  const page = '# One, `two`: «три»\n## [A link](b.md)\n## Same\n## Same\n```\n# a comment\n```\n';
  expect([...anchorsOf(page)]).toEqual(['one-two-три', 'a-link', 'same', 'same-1']);
});

test('every link of the documents leads to a file of the tree and a heading', () => {
  expect(brokenLinks(tracked)).toEqual([]);
});

test('every link of the packaged documents leads to a file of the package and a heading', () => {
  expect(packaged.filter((path) => path.endsWith('.md')).length).toBeGreaterThan(40);
  expect(brokenLinks(packaged)).toEqual([]);
});

test('every page of docs that a source file names exists and is packaged', () => {
  const sources = globSync('{apps,packages,scripts,deploy}/**/*', {
    exclude: ['**/node_modules/**', '**/dist/**'],
    withFileTypes: true,
  });
  const files = sources.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const named = files.flatMap((file) =>
    [...textOf(file).matchAll(/\bdocs\/[\w/-]+\.md\b/g)].map(([page]) => page),
  );
  expect(named.length).toBeGreaterThan(5);
  expect([...new Set(named)].filter((page) => !packaged.includes(page))).toEqual([]);
});
