import { type BrowserContext, expect, type Page } from '@playwright/test';
import { freePort } from '@propusk/test-kit/daemon';
import { openThreatCase, quickOrSoak } from '@propusk/test-kit/threat-case';
import { inTurn } from '@propusk/test-kit/turns';
import { PASSWORD, startConsole, test } from '../support/console.ts';
import { grown, payloads, poisonAnswers, watchFor } from '../support/hostile-text.ts';
import { scenarios } from '../support/scenarios.ts';
import { prepare, type Tokens, viewersOf, visit } from '../support/visit.ts';

/**
 * Every scenario of the tour, with hostile text appended to each string of each server reply: names,
 * descriptions, addresses, foreign servers' messages and error texts. The api accepts much of it, so the
 * screens must render it as text. No script runs, no resource loads, and no policy violation is reported.
 */
let tokens: Tokens;
const tally = openThreatCase(
  'XSS, CSP, CORS',
  `${payloads.length} payloads in every text of every screen, dialog and state`,
);

test.use({ screenshot: 'off' });

const product = startConsole(async (console) => {
  tokens = await prepare(console.url, await freePort(), PASSWORD);
});

const dormant = /^(<body|<scr<|'\);|`-|\\u003c|\{\{|\$\{|&lt;|%3C|javascript:)/;

/** Functions that open scenarios although hostile text extends names and covers controls. */
const moreOfIt = async (page: Page) => {
  const summary = page.getByRole('main').locator('summary').first();
  await summary.focus();
  await summary.press('Enter');
};
const explain = async (page: Page) => {
  await page
    .getByRole('row', { name: /otchet/ })
    .getByRole('button', { name: /^Действия/ })
    .click();
  await page.getByRole('menuitem', { name: 'Проверить доступ пользователя' }).click();
  const person = page.getByRole('dialog').getByRole('combobox');
  // The sticky page title, longer with hostile text, covers the control, so the test focuses the control instead.
  await person.focus();
  await person.press('ArrowDown');
  // The list loads when it opens. A key pressed before it has loaded selects nothing.
  await expect(page.getByRole('listbox').getByRole('option').first()).toBeVisible();
  await person.press('ArrowDown');
  await person.press('Enter');
  await expect(page.getByRole('dialog').getByRole('status')).toBeVisible();
};
const openers: Readonly<Record<string, (page: Page) => Promise<void>>> = {
  'audit-more': moreOfIt,
  'admin-audit-more': async (page) => {
    await page.goto(new URL('/dashboard/admin/audit?name=Продажи', page.url()).href);
    await moreOfIt(page);
  },
  'agent-sessions-end': async (page) => {
    await page
      .getByRole('main')
      .getByRole('button', { name: /^Завершить: / })
      .first()
      .click();
    await expect(page.getByRole('dialog')).toBeVisible();
  },
  'sites-why': explain,
  'sites-why-later': explain,
};

test('the detector of these tests reports every hostile payload that becomes markup', async ({ context }) => {
  const seen = await watchFor(context);
  const page = await context.newPage();
  await page.goto(`${product.url}/auth/login`);
  const unseen: string[] = [];
  for (const payload of payloads) {
    seen.length = 0;
    const html = `<p title="${payload}">x</p><p title='${payload}'>${payload}</p>`;
    await page.evaluate(`document.body.innerHTML = ${JSON.stringify(html)}`);
    await page.waitForTimeout(20);
    if (seen.length === 0 && (await grown(page)).length === 0) unseen.push(payload);
  }
  // The remaining payloads target raw text, string literals or double decoding, and create no element here.
  expect(unseen).toEqual(payloads.filter((one) => dormant.test(one)));
  seen.length = 0;
  await page.evaluate(
    `const code = document.createElement('script'); code.textContent = 'ran(1)'; document.body.append(code)`,
  );
  await expect.poll(() => seen).toContainEqual(expect.stringMatching(/^violated script-src-elem inline/));
});

test('every screen of the console renders hostile text in server replies as text', async ({ browser }) => {
  test.setTimeout(quickOrSoak(900_000, 3_300_000));
  // Every text contains all payloads at once. A payload can disable later ones in the same text, so `npm run soak`
  // also tests each payload alone, on a rotating eighth of the screens.
  const everywhere = { hostile: payloads.join(' '), at: inTurn(scenarios) };
  const alone = payloads.map((hostile, turn) => ({
    hostile,
    at: scenarios.filter((_, place) => place % 8 === turn % 8),
  }));
  for (const { hostile, at } of quickOrSoak([everywhere], [everywhere, ...alone])) {
    const viewers = viewersOf(browser, () => tokens);
    const watched = new Map<BrowserContext, string[]>();
    for (const scenario of at) {
      const look = { scheme: 'light', size: scenario.only ?? 'desktop' } as const;
      const context = await viewers.contextOf(look, scenario, async (made) => {
        watched.set(made, await watchFor(made));
      });
      const seen = watched.get(context) ?? [];
      const page = await context.newPage();
      await poisonAnswers(page, hostile);
      await test.step(scenario.name, async () => {
        const open = openers[scenario.name];
        const opened = await visit(
          page,
          product.url,
          open === undefined ? scenario : { ...scenario, open },
        ).then(
          () => [],
          (error: unknown) => [`did not open: ${String(error).split('\n')[0]}`],
        );
        const found = [...opened, ...seen.splice(0), ...(await grown(page))];
        tally.see(found.length === 0, `${scenario.name}: ${found.join(', ')}`);
      });
      await page.unrouteAll({ behavior: 'ignoreErrors' });
      await page.close();
    }
    await viewers.close();
  }
  tally.close();
});
