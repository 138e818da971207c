import { describe, expect, test } from 'vitest';
import { discover, isForbidden, isMadeUp, type ReadPage } from './discoverable.ts';
import { page } from './layout.ts';

const html = (text: string): ReadPage => ({
  status: 200,
  type: 'text/html; charset=utf-8',
  location: undefined,
  body: Buffer.from(text),
});
const absent: ReadPage = { status: 404, type: 'text/html', location: undefined, body: Buffer.from('') };

async function found(pages: Readonly<Record<string, ReadPage>>, startPaths: readonly string[] = []) {
  const all = await discover(async (path) => pages[path] ?? absent, 'http://crm.test:81', startPaths);
  return new Map([...all].filter(([path]) => !isMadeUp(path)));
}

describe('discoverable URLs', () => {
  test('the files of the first page and of its pages are discoverable, and those of the next level are not', async () => {
    const pages = {
      '/': html(page('Первая', '/a.css', 'docs/')),
      '/docs/': html(page('Вторая', 'plan.pdf', '/deep/')),
      '/deep/': html(page('Третья', '/deep/act.pdf')),
    };
    expect([...(await found(pages)).keys()].toSorted()).toEqual(['/', '/a.css', '/docs/plan.pdf']);
  });

  test('a made-up name is discoverable in the folder of each file and page, and in the root', async () => {
    const pages = { '/': html(page('Первая', '/img/a.webp', '/docs/list')) };
    const all = await discover(async (path) => pages[path as '/'] ?? absent, 'http://crm.test:81', []);
    const folders = new Set(
      [...all.keys()].filter(isMadeUp).map((path) => path.slice(0, path.lastIndexOf('/') + 1)),
    );
    expect([...folders].toSorted()).toEqual(['/', '/docs/', '/img/']);
  });

  test('robots.txt and its sitemap name files and folders', async () => {
    const robots = 'User-agent: *\nDisallow: /private/\nSitemap: http://crm.test:81/map.xml\n';
    const map =
      '<urlset><url><loc>http://crm.test:81/price.pdf</loc></url><url><loc>http://other.test/x.pdf</loc></url></urlset>';
    const pages = {
      '/robots.txt': { ...html(robots), type: 'text/plain' },
      '/map.xml': { ...html(map), type: 'text/xml' },
    };
    expect(await found(pages)).toEqual(
      new Map([
        ['/', 'start path'],
        ['/price.pdf', 'sitemap'],
      ]),
    );
  });

  test('links to other hosts, ports and schemes, and excluded links, are not discoverable', async () => {
    const text = `<a href="http://other.test/a.pdf"></a><a href="http://crm.test:82/b.pdf"></a>
<a href="https://crm.test:81/c.pdf"></a><a rel="nofollow" href="/d.pdf"></a><a download href="/e.pdf"></a>
<a data-method="post" href="/f.pdf"></a><form action="/g.pdf"></form><!-- <a href="/h.pdf"></a> -->
<img srcset="/small.png 1x, /large.png 2x"><a href="/i.pdf?page=2#top"></a>`;
    const all = [...(await found({ '/': html(text) })).keys()];
    expect(all.toSorted()).toEqual(['/', '/i.pdf', '/large.png', '/small.png']);
  });

  test('a base element and a redirect within the site are followed', async () => {
    const pages = {
      '/': { ...absent, status: 302, location: '/start/' },
      '/start/': html('<base href="/shop/"><img src="img/a.png">'),
    };
    expect([...(await found(pages)).keys()]).toContain('/shop/img/a.png');
  });
});

test.each([
  ['/logout', true],
  ['/item/5/delete', true],
  ['/deleteItem/5', true],
  ['/%D0%B2%D1%8B%D1%85%D0%BE%D0%B4/', true],
  ['/cart/add.png', true],
  ['/share/9f86d081884c7d659a2feaa0c55ad015', true],
  ['/assets/9f86d081884c7d659a2feaa0c55ad015.js', false],
  ['/executive/', false],
  ['/payroll/list.html', false],
])('whether a probe must not request %s: %s', (path, expected) => {
  expect(isForbidden(path)).toBe(expected);
});
