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
 * Every scenario of the tour, in both schemes and sizes, on the product as it is delivered: axe finds nothing against
 * WCAG 2.2 AA or good practice, the Content-Security-Policy has nothing to refuse, and nothing leaves the console's
 * own origin.
 */
let dataDir: string;
let product: RunningProduct;
let tokens: Tokens;

// Both workers share the scenarios: there are more of them than of any other test.
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

/** The event is the same everywhere; what a browser writes to its console may be worded otherwise. Runs in the page. */
const SPEAK_OF_VIOLATIONS = `document.addEventListener('securitypolicyviolation', (event) =>
  console.error('Refused to load ' + event.blockedURI + ' (' + event.violatedDirective + ')'))`;

/** What a page must not do, as it happens. */
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

/** Every other scenario in light on a desktop and in dark on a phone, those between the other way about. */
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

/** What axe finds on a page as it is now. What passed is not told: to tell it takes as long as to find it. */
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
    test(`${scenario.name}, ${scheme}, ${size}`, async ({ browser }) => {
      const context = await browserOf(browser, tokens, { scheme, size }, scenario);
      await context.addInitScript(SPEAK_OF_VIOLATIONS);
      const page = await context.newPage();
      const seen = watch(page);
      await visit(page, product.consoleUrl, scenario);
      expect(await page.title()).toMatch(/^.+ · Пропуск$/);
      // What stands before the sign-in may have a scheme of its own.
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
