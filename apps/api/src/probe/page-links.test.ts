import { expect, test, vi } from 'vitest';
import { linksOf, readRobots, readSitemap } from './page-links.ts';

const page = new URL('https://crm.example.ru/docs/');
const hrefs = async (html: string, type = 'text/html') =>
  (await linksOf(html, type, page)).map(({ href }) => href);

test('linksOf() finds all kinds of URLs in a page and resolves the URLs against <base>', async () => {
  const html = `<base href="/app/"><link rel=stylesheet href=a.css><script src="/b.js"></script>
    <img src=c.png srcset="d.png 1x, e.png 2x"><iframe src="f/"></iframe><a href="g?x=1#y">g</a>
    <meta http-equiv="Refresh" content="0; url=h/"><object data="i.pdf"></object>`;
  expect((await hrefs(html)).map((href) => href.replace('https://crm.example.ru', ''))).toEqual([
    ...['/app/a.css', '/b.js', '/app/c.png', '/app/d.png', '/app/e.png', '/app/f/', '/app/g?x=1#y'],
    ...['/app/h/', '/app/i.pdf'],
  ]);
});

test('linksOf() omits form actions, downloads, nofollow links and protocols other than http and https', async () => {
  const html = `<form action="/a"><input formaction="/b"><button formaction="/c"></button></form>
    <a href="/d" download>d</a><a href="/e" data-method="delete">e</a><a href="/f" rel="nofollow">f</a>
    <a href="mailto:x@example.ru">g</a><a href="javascript:alert(1)">h</a><link rel="preconnect" href="https://cdn.test">`;
  expect(await hrefs(html)).toEqual([]);
});

test('links in a windows-1251 page become percent-encoded UTF-8 paths', async () => {
  // "док" in windows-1251.
  const html = '<meta charset="windows-1251"><a href="/\xe4\xee\xea">x</a>';
  expect(await hrefs(html)).toEqual(['https://crm.example.ru/%D0%B4%D0%BE%D0%BA']);
  expect(await hrefs(html.slice(29), 'text/html; charset=windows-1251')).toEqual(await hrefs(html));
});

test('the parser returns at most 2,000 links of a page', async () => {
  expect((await hrefs('<a href=/x>'.repeat(50_000))).length).toBeLessThanOrEqual(2_000);
  expect(await hrefs('<'.repeat(500_000))).toEqual([]);
});

test('the parser finds a link after 80,000 unclosed elements', async () => {
  const html = `${'<b>'.repeat(80_000)}${'</i>'.repeat(60_000)}<a href="/x">x</a>`;
  expect(await hrefs(html)).toEqual(['https://crm.example.ru/x']);
});

test('a process that is stopped for seconds while it parses a page loses no link', async () => {
  let now = 0;
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => (now += 5_000));
  expect(await hrefs('<a href="/x/">x</a><img src="/y.png">')).toHaveLength(2);
  clock.mockRestore();
});

test('readRobots returns the disallowed prefixes and the sitemaps of a robots.txt', () => {
  const robots =
    'User-agent: *\nDisallow: /admin/\ndisallow: /x/*.pdf$ # y\nDisallow:\nSitemap: https://crm.example.ru/map.xml\n';
  const { disallowed, sitemaps } = readRobots(robots, page);
  expect(disallowed.map(({ pathname }) => pathname)).toEqual(['/admin/', '/x/']);
  expect(sitemaps.map(({ pathname }) => pathname)).toEqual(['/map.xml']);
});

test('readSitemap returns the URLs of a sitemap', () => {
  const map =
    '<urlset><url><loc> https://crm.example.ru/a?b&amp;c </loc></url><url><loc>/d</loc></url></urlset>';
  expect(readSitemap(map, page).map(({ pathname }) => pathname)).toEqual(['/a', '/d']);
});
