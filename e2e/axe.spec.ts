import { AxeBuilder } from '@axe-core/playwright';
import { expect, type Page, test } from '@playwright/test';
import { freePort } from '@propusk/test-kit/gateway/upstreams';
import { admin, PASSWORD } from '../scripts/demo-data.ts';
import {
  makeDataDir,
  type RunningProduct,
  removeDataDir,
  runProduct,
  stopProduct,
  untilReady,
} from './product.ts';
import { scenarios } from './scenarios.ts';
import { type Appearance, appearances, browserOf, prepare, type Tokens, visit } from './visit.ts';

/**
 * Opens every scenario of the tour on the shipped product. axe reports no violation of WCAG 2.2 AA or best
 * practice, the Content-Security-Policy blocks nothing, and no request leaves the console's origin.
 */
let dataDir: string;
let product: RunningProduct;
let tokens: Tokens;

// Parallel mode splits the scenarios between both workers.
test.describe.configure({ mode: 'parallel' });
test.use({ screenshot: 'off' });

test.beforeAll(async () => {
  dataDir = await makeDataDir();
  product = runProduct(
    dataDir,
    { console: await freePort(), gateway: await freePort() },
    { ADMIN_EMAIL: admin, ADMIN_PASSWORD: PASSWORD },
  );
  await untilReady(product);
  tokens = await prepare(product.consoleUrl, await freePort());
});
test.afterAll(async () => {
  await stopProduct(product);
  await removeDataDir(dataDir);
});

/** Browsers word console messages differently, but all raise this event. Evaluated in the page. */
const SPEAK_OF_VIOLATIONS = `document.addEventListener('securitypolicyviolation', (event) =>
  console.error('Refused to load ' + event.blockedURI + ' (' + event.violatedDirective + ')'))`;

/** Records forbidden behaviour of a page: policy violations, errors and foreign requests. */
function watch(page: Page): string[] {
  const seen: string[] = [];
  page.on('console', (message) => {
    if (/Refused to|Content Security Policy/.test(message.text())) seen.push(message.text());
  });
  page.on('request', (request) => {
    const { protocol, origin } = new URL(request.url());
    if (protocol !== 'data:' && origin !== product.consoleUrl) seen.push(`left the origin: ${request.url()}`);
  });
  return seen;
}

/** Even scenarios run in light on a desktop and dark on a phone, odd ones the other way round. */
const pairs: readonly Appearance[][] = [
  [
    { scheme: 'light', size: 'desktop' },
    { scheme: 'dark', size: 'phone' },
  ],
  [
    { scheme: 'dark', size: 'desktop' },
    { scheme: 'light', size: 'phone' },
  ],
];

/**
 * Returns axe's violations on the page. Passed rules are not reported: reporting takes as long as checking.
 */
async function violations(page: Page): Promise<unknown[]> {
  const axe = new AxeBuilder({ page }).setLegacyMode(true).options({ resultTypes: ['violations'] });
  const found = await axe.analyze();
  return found.violations.map(({ id, nodes }) => [id, nodes.map(({ html, any }) => [html, any[0]?.message])]);
}

for (const [place, scenario] of scenarios.entries()) {
  for (const { scheme, size } of process.env.EVERY_SIZE === undefined
    ? (pairs[place % 2] ?? [])
    : appearances) {
    if (scenario.only !== undefined && scenario.only !== size) continue;
    test(`${scenario.name} has no accessibility or policy violation, ${scheme}, ${size}`, async ({
      browser,
    }) => {
      const context = await browserOf(browser, tokens, { scheme, size }, scenario);
      await context.addInitScript(SPEAK_OF_VIOLATIONS);
      const page = await context.newPage();
      const seen = watch(page);
      await visit(page, product.consoleUrl, scenario);
      expect(await page.title()).toMatch(/^.+ · Пропуск$/);
      // Signed-out pages may force their own scheme.
      if (scenario.path.startsWith('/dashboard'))
        await expect(page.locator('html')).toHaveAttribute('data-mantine-color-scheme', scheme);
      expect(await violations(page)).toEqual([]);
      const wide = 'document.documentElement.scrollWidth - document.documentElement.clientWidth';
      expect(await page.evaluate(wide), 'wider than the screen').toBe(0);
      expect(seen).toEqual([]);
      await context.close();
    });
  }
}
