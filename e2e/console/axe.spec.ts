import { AxeBuilder } from '@axe-core/playwright';
import { expect, type Page } from '@playwright/test';
import { freePort } from '@propusk/test-kit/daemon';
import { isInTurn } from '@propusk/test-kit/turns';
import { PASSWORD, startConsole, test } from '../support/console.ts';
import { scenarios } from '../support/scenarios.ts';
import { appearances, prepare, type Tokens, viewersOf, visit } from '../support/visit.ts';

/**
 * Opens every scenario of the tour on the shipped product. axe reports no violation of WCAG 2.2 AA or best
 * practice, the Content-Security-Policy blocks nothing, and no request leaves the console's origin.
 */
let tokens: Tokens;
let viewers: ReturnType<typeof viewersOf> | undefined;

// Parallel mode splits the scenarios between the workers.
test.describe.configure({ mode: 'parallel' });
test.use({ screenshot: 'off' });

const product = startConsole(async (console) => {
  tokens = await prepare(console.url, await freePort(), PASSWORD);
});

test.afterAll(() => viewers?.close());

/** Reports policy violations by the DOM event, because browsers word console messages differently. Evaluated in the page. */
const SPEAK_OF_VIOLATIONS = `document.addEventListener('securitypolicyviolation', (event) =>
  console.error('Refused to load ' + event.blockedURI + ' (' + event.violatedDirective + ')'))`;

/** Records what a page must not do: CSP violations, errors, and requests to other origins. */
function watch(page: Page): string[] {
  const seen: string[] = [];
  page.on('console', (message) => {
    if (/Refused to|Content Security Policy/.test(message.text())) seen.push(message.text());
  });
  page.on('request', (request) => {
    const { protocol, origin } = new URL(request.url());
    if (protocol !== 'data:' && origin !== product.url) seen.push(`left the origin: ${request.url()}`);
  });
  return seen;
}

/**
 * Returns axe's violations on the page. Passed rules are not reported: reporting takes as long as checking.
 */
async function violations(page: Page): Promise<unknown[]> {
  const axe = new AxeBuilder({ page }).setLegacyMode(true).options({ resultTypes: ['violations'] });
  const found = await axe.analyze();
  return found.violations.map(({ id, nodes }) => [id, nodes.map(({ html, any }) => [html, any[0]?.message])]);
}

for (const [place, scenario] of scenarios.entries()) {
  for (const [turn, look] of appearances.entries()) {
    if (!isInTurn(place + turn) || (scenario.only ?? look.size) !== look.size) continue;
    const { scheme, size } = look;
    test(`${scenario.name} has no accessibility or policy violation, ${scheme}, ${size}`, async ({
      browser,
    }) => {
      viewers ??= viewersOf(browser, () => tokens);
      const context = await viewers.contextOf(look, scenario, async (made) => {
        await made.addInitScript(SPEAK_OF_VIOLATIONS);
      });
      const page = await context.newPage();
      const seen = watch(page);
      await visit(page, product.url, scenario);
      expect(await page.title()).toMatch(/^.+ · Пропуск$/);
      // Signed-out pages can force a colour scheme.
      if (scenario.path.startsWith('/dashboard'))
        await expect(page.locator('html')).toHaveAttribute('data-mantine-color-scheme', scheme);
      expect(await violations(page)).toEqual([]);
      const wide = 'document.documentElement.scrollWidth - document.documentElement.clientWidth';
      expect(await page.evaluate(wide), 'wider than the screen').toBeLessThanOrEqual(0);
      expect(seen).toEqual([]);
      await page.close();
    });
  }
}
