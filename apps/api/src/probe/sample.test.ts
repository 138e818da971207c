import { expect, test } from 'vitest';
import { chooseSamples, samplesOf } from './sample.ts';

test('chooseSamples keeps a linked static file, and replaces a linked page by a made-up name', () => {
  const { paths } = chooseSamples(['/style.css', '/docs/page', '/docs/list.php', '/base']);
  expect(paths.toSorted()).toEqual(['/base/{}', '/docs/{}', '/docs/{}.php', '/style.css']);
  expect(samplesOf({ paths, folders: [] }, 'abc').slice(0, 4)).toEqual(
    expect.arrayContaining([
      { path: '/style.css', kind: 'file' },
      { path: '/docs/abc', kind: 'page' },
      { path: '/docs/abc.php', kind: 'page' },
      { path: '/base/abc', kind: 'page' },
    ]),
  );
});

test('the 16 paths from chooseSamples cover as many folders and file extensions as possible', () => {
  const files = Array.from({ length: 30 }, (_, i) => `/a/${i}.css`);
  const classes = ['/b/x.css', '/b/x.js', '/c/x.pdf', '/c/d/x.png', '/x.zip', '/docs/one'];
  const { paths } = chooseSamples([...files, ...classes]);
  expect(paths).toHaveLength(16);
  for (const wanted of ['/b/x.css', '/b/x.js', '/c/x.pdf', '/c/d/x.png', '/x.zip', '/docs/{}'])
    expect(paths).toContain(wanted);
  expect(paths.slice(0, 7).filter((path) => path.startsWith('/a/'))).toHaveLength(1);
});

test('chooseSamples selects the same paths for the same links', () => {
  const links = Array.from({ length: 100 }, (_, i) => `/${i % 7}/${i}.${['css', 'js', 'png'][i % 3]}`);
  expect(chooseSamples(links)).toEqual(chooseSamples(links));
});

test('chooseSamples omits paths with an action word such as logout', () => {
  const links = ['/logout', '/cart/style.css', '/ok/0123456789abcdef0123.js', '/order/x'];
  expect(chooseSamples(links)).toEqual({
    paths: ['/ok/0123456789abcdef0123.js'],
    folders: ['/ok/'],
    left: 3,
  });
});

test('a path that is too long or looks like a secret is replaced by a made-up name', () => {
  const long = `/upload/${encodeURIComponent('длинное имя '.repeat(20))}.pdf`;
  const cyrillic = `/upload/${encodeURIComponent('Положение о закупках товаров и услуг')}.doc`;
  const secret = '/upload/iblock/0123456789abcdef0123456789abcdef/price.xlsx';
  const { paths } = chooseSamples([long, cyrillic, secret]);
  expect(paths.toSorted()).toEqual(['/upload/iblock/{}.xlsx', cyrillic, '/upload/{}.pdf'].toSorted());
});

test('chooseSamples does not select a URL that the owner leaves open', () => {
  expect(chooseSamples(['/docs/a.pdf', '/docs/b.pdf'], ['/docs/a.pdf']).paths).toEqual(['/docs/b.pdf']);
});

test('file extensions that differ only in case count as different kinds of file', () => {
  const { paths } = chooseSamples(['/a/X.PDF', '/a/y.pdf', '/a*b/q.css']);
  expect(
    samplesOf({ paths, folders: [] }, 'abc')
      .slice(0, 3)
      .map(({ path }) => path)
      .toSorted(),
  ).toEqual(['/a*b/q.css', '/a/X.PDF', '/a/y.pdf'].toSorted());
});

test('chooseSamples counts the folders from which it selects no path', () => {
  expect(chooseSamples(Array.from({ length: 20 }, (_, i) => `/${i}x/a.css`)).left).toBe(4);
});

test('the probe requests made-up file names in the root folder and in at most four other folders', () => {
  const { paths, folders } = chooseSamples(['a', 'b', 'c', 'd', 'e'].map((folder) => `/${folder}/x.css`));
  expect(folders).toEqual(['/a/', '/b/', '/c/', '/d/']);
  const guesses = samplesOf({ paths, folders }, 'abc').slice(paths.length);
  expect(guesses).toHaveLength(5 * 6);
  expect(guesses).toContainEqual({ path: '/abc.woff2', kind: 'guess' });
  expect(guesses).toContainEqual({ path: '/d/abc.pdf', kind: 'guess' });
});
