import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { page } from './layout.ts';
import { typeOf } from './servers.ts';

/**
 * A locked site whose pages link to actions: URLs that change something when they are requested. It counts the requests that
 * execute one, and the requests that carry what a probe must not send.
 */
export interface ActionSite {
  /** Host and port. */
  readonly site: string;
  /** The requests that executed an action, as method, path and the client's address. */
  readonly executed: readonly string[];
  /** Requests with a cookie, credentials, a Referer, a query or a method other than GET. */
  readonly unwanted: readonly string[];
  /** The paths that users requested, in order. */
  readonly userPaths: readonly string[];
  /** The number of requests from other addresses. */
  strangers(): number;
  stop(): Promise<void>;
}

/** Paths of links whose segment names an action. */
const ACTIONS = [
  '/logout',
  '/LOGOUT.aspx',
  '/%6Cogout/now',
  '/user/signout/',
  '/account/exit',
  '/%D0%B2%D1%8B%D1%85%D0%BE%D0%B4/',
  '/item/5/delete',
  '/delete-item/5',
  '/delete_item.php',
  '/deleteItem/5',
  '/users/remove/9',
  '/newsletter/unsubscribe',
  '/confirm/17',
  '/activate/17.html',
  '/approve/3',
  '/visit/7/cancel',
  '/pay/12',
  '/buy/now',
  '/cart/add',
  '/cart/add.png',
  '/order/7/repeat.js',
  '/cron/run',
  '/cron.php',
  '/jobs/run/',
  '/install.php',
  '/update/core.css',
  '/backup/make',
  '/restore/1',
  '/reset/1',
  '/send/1',
  '/hook/github',
  '/callback/1',
  '/token/1',
  '/join/3f2b8a1c-9d4e-4f6a-8b7c-1d2e3f4a5b6c',
  '/share/9f86d081884c7d659a2feaa0c55ad015',
  '/invite/Zk3vQ9xT1bLmN4pRs8wYh2/',
] as const;

/** Actions that only the HTML element or the query identifies, not the path. */
const MARKUP = `
<a rel="nofollow" href="/vote/5">За</a>
<a rel="noopener nofollow" href="/vote/6">Против</a>
<a download href="/export/all.zip">Выгрузить</a>
<a data-method="post" href="/items/5">Убрать</a>
<a href="/index.php?action=erase&amp;id=5">Стереть</a>
<a href="/?do=wipe">Очистить</a>
<img src="/counter.png?hit=1" alt="">
<form action="/subscribe"><input name="mail"><button formaction="/wipe">Да</button></form>
<form method="post" action="/apply"><button>Да</button></form>
<a href="javascript:document.forms[0].submit()">Да</a>
<a href="mailto:sales@example.test">Почта</a>
<a href="/account/">Счёт</a>
`;
const MARKED = ['/vote/5', '/vote/6', '/export/all.zip', '/items/5', '/subscribe', '/wipe', '/apply'];

const normal = (path: string) => decodeURIComponent(path).toLowerCase();
const actions = new Set([...ACTIONS, ...MARKED].map(normal));

/**
 * Starts the site.
 * @param address the loopback address to listen on
 * @param user the address that the lock admits
 * @param links further markup of the first page
 */
export async function startActionSite(
  name: string,
  address: string,
  user: string,
  links = '',
): Promise<ActionSite> {
  const executed: string[] = [];
  const unwanted: string[] = [];
  const userPaths: string[] = [];
  let strangers = 0;
  const files: Readonly<Record<string, string>> = {
    '/': page('Кабинет', '/style.css', '/news/', ...ACTIONS) + MARKUP + links,
    '/news/': page('Новости', '/news/photo.png', ...ACTIONS.toReversed()) + MARKUP,
    '/index.php': page('Кабинет', '/style.css'),
    '/style.css': 'body{}\n',
    '/counter.png': 'PNG\n',
    '/news/photo.png': 'PNG\n',
    '/robots.txt': `User-agent: *\n${[...ACTIONS, '/admin/'].map((path) => `Disallow: ${path}\n`).join('')}`,
    '/sitemap.xml': `<urlset>${[...ACTIONS, '/news/'].map((path) => `<url><loc>http://${name}:PORT${path}</loc></url>`).join('')}</urlset>`,
  };
  const server = createServer((request, response) => {
    const { method = '', url = '/', headers, socket } = request;
    const said = `${method} ${url} from ${socket.remoteAddress}`;
    const [path = '/', query] = url.split('?');
    const isUser = socket.remoteAddress === user;
    if (isUser) userPaths.push(path);
    else strangers++;
    if (query !== undefined || actions.has(normal(path))) executed.push(said);
    const { cookie, authorization, referer } = headers;
    if (method !== 'GET' || [cookie, authorization, referer].some((each) => each !== undefined)) {
      unwanted.push(said);
    }
    if (!isUser) {
      response.writeHead(403).end('refused\n');
    } else if (path === '/account/') {
      // A redirect to an action.
      response.writeHead(302, { location: '/logout' }).end();
    } else {
      const text = files[path]?.replaceAll('PORT', String((server.address() as AddressInfo).port));
      response.writeHead(text === undefined ? 404 : 200, {
        'content-type': typeOf(path),
        'set-cookie': 'session=1; Path=/',
      });
      response.end(text ?? 'Not Found\n');
    }
  });
  const port = await listen(server, address);
  return {
    site: `${name}:${port}`,
    executed,
    unwanted,
    userPaths,
    strangers: () => strangers,
    stop: () => stop(server),
  };
}

/** A server on another host, which counts its connections. */
export async function startOtherHost(address: string) {
  let connections = 0;
  const server = createServer((_, response) => response.end('other host\n'));
  server.on('connection', () => connections++);
  const port = await listen(server, address);
  return { port, connections: () => connections, stop: () => stop(server) };
}

/** Links to other hosts and to another port of the site, in every way that a page can name them. */
export function linksAway(site: string, host: string, address: string, port: number): string {
  const [name = ''] = site.split(':');
  const away = [
    `http://${host}:${port}/page.html`,
    `//${host}:${port}/script.js`,
    `http://${site}@${host}:${port}/mail.png`,
    `http:\\\\${host}:${port}\\back.png`,
    `/\\${host}:${port}/slash.png`,
    `http://${address}:${port}/address.pdf`,
    `http://${name}:${port}/port.png`,
    `https://${host}:${port}/secure.css`,
  ];
  return `${page('Ссылки', ...away)}
<meta http-equiv="refresh" content="900; url=http://${host}:${port}/refresh">
<link rel="canonical" href="http://${host}:${port}/canonical">
<img srcset="//${host}:${port}/small.png 1x, http://${host}:${port}/large.png 2x" alt="">
<iframe src="http://${host}:${port}/frame"></iframe>
`;
}

/** Starts a locked site that redirects, and names sitemaps, on another host. */
export async function startRedirectingSite(
  name: string,
  address: string,
  user: string,
  away: { host: string; address: string; port: number },
) {
  const other = `http://${away.host}:${away.port}`;
  const listener = (request: IncomingMessage): [status: number, body: string, location?: string] => {
    if (request.socket.remoteAddress !== user) return [403, 'refused\n'];
    const site = request.headers.host ?? '';
    switch (request.url ?? '/') {
      case '/':
        return [200, page('Начало', '/based', '/jump') + linksAway(site, away.host, away.address, away.port)];
      case '/based':
        return [200, `<base href="${other}/">${page('Основа', 'relative.css', 'relative.html')}`];
      case '/jump':
        return [302, '', `${other}/jumped`];
      case '/robots.txt':
        return [200, `Sitemap: ${other}/sitemap.xml\nSitemap: http://${site}/sitemap.xml\n`];
      case '/sitemap.xml':
        return [200, `<sitemapindex><sitemap><loc>${other}/second.xml</loc></sitemap></sitemapindex>`];
      default:
        return [404, 'Not Found\n'];
    }
  };
  const server = createServer(((request, response) => {
    const [status, body, location] = listener(request);
    const type = typeOf(request.url ?? '/');
    response.writeHead(status, { 'content-type': type, ...(location !== undefined && { location }) });
    response.end(body);
  }) satisfies RequestListener);
  const port = await listen(server, address);
  return { site: `${name}:${port}`, stop: () => stop(server) };
}

async function listen(server: Server, address: string): Promise<number> {
  await once(server.listen(0, address), 'listening');
  return (server.address() as AddressInfo).port;
}

async function stop(server: Server): Promise<void> {
  const closed = once(server, 'close');
  server.close();
  server.closeAllConnections();
  await closed;
}
