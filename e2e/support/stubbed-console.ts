import { readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Page, Route } from '@playwright/test';

const dist = fileURLToPath(new URL('../../apps/web/dist', import.meta.url));
const types: Record<string, string> = {
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
};

/** The origin of a console without a server: its files come from the build, its replies from the test. */
export const STUBBED = 'http://console.test';

/** Replies by method and path, such as `GET /tariff`; a function gets the route. Other calls get 404. */
export type Replies = Record<string, object | ((route: Route) => unknown)>;

/** Serves the built console to a page. Changes of `replies` take effect later, too. */
export async function stubConsole(page: Page, replies: Replies): Promise<void> {
  await page.addInitScript(() => {
    localStorage.setItem('access_token', 'stubbed');
    localStorage.setItem('checkOnboarding', 'true');
    localStorage.setItem('firstSteps', 'folded');
  });
  await page.route(`${STUBBED}/**`, async (route) => {
    const { pathname } = new URL(route.request().url());
    if (pathname.startsWith('/api/')) {
      const reply = replies[`${route.request().method()} ${pathname.slice(4)}`];
      if (typeof reply === 'function') return reply(route);
      const missing = { statusCode: 404, code: 'not_found', message: 'no stub' };
      return route.fulfill(reply ? { json: reply } : { status: 404, json: missing });
    }
    const file = extname(pathname) === '' ? '/index.html' : pathname;
    const body = await readFile(join(dist, file)).catch(() => null);
    if (body === null) return route.fulfill({ status: 404 });
    return route.fulfill({ body, contentType: types[extname(file)] ?? 'text/html' });
  });
}
