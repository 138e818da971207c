import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Browser, chromium } from '@playwright/test';
import { freePort } from '@propusk/test-kit/daemon';
import { installPackages } from '../../scripts/debian.ts';
import { PASSWORD } from '../../scripts/demo-data.ts';
import config from '../playwright.config.ts';
import { takePictures } from './pictures.ts';
import { endProduct } from './product.ts';
import { scenarios } from './scenarios.ts';
import {
  type Appearance,
  appearances,
  demoFeed,
  prepare,
  startDemoProduct,
  type Tokens,
  viewersOf,
  visit,
  wideAppearances,
} from './visit.ts';

/**
 * `npm run tour` takes screenshots of every screen, dialog and state of the console, in both schemes, at
 * 390, 1440 and 2560 pixels. It runs a product on a throwaway folder with the demo's data, and writes to .cache/tour.
 *
 *   npm run tour            every scenario
 *   npm run tour sites      scenarios whose name contains "sites"
 *   npm run tour docs       the pictures of the documents, to docs/pictures
 */
const say = (line: string) => process.stdout.write(`${line}\n`);
const folder = fileURLToPath(new URL('../../.cache/tour', import.meta.url));
const wanted = process.argv[2] ?? '';
let missed = 0;

async function takeScreens(
  browser: Browser,
  consoleUrl: string,
  tokens: Tokens,
  look: Appearance,
): Promise<void> {
  const path = join(folder, `${look.scheme}-${look.size}`);
  const viewers = viewersOf(browser, () => tokens);
  await mkdir(path, { recursive: true });
  for (const scenario of scenarios) {
    if (!scenario.name.includes(wanted) || (scenario.only && scenario.only !== look.size)) continue;
    const page = await (await viewers.contextOf(look, scenario)).newPage();
    const picture = join(path, `${scenario.name}.png`);
    try {
      await visit(page, consoleUrl, scenario);
      await page.screenshot({ path: picture });
    } catch (error) {
      missed++;
      await page.screenshot({ path: picture }).catch(() => {});
      say(`Не вышло: ${scenario.name}, ${look.scheme}, ${look.size}: ${String(error).split('\n')[0]}`);
    }
    // A stubbed call may still run: its route must not throw when the page closes.
    await page.unrouteAll({ behavior: 'ignoreErrors' });
    await page.close();
  }
}

await installPackages(['chromium-headless-shell'], say);
if (wanted === 'docs') {
  await installPackages(['apache2'], say);
  const browser = await chromium.launch(config.use?.launchOptions);
  const pictures = fileURLToPath(new URL('../../docs/pictures', import.meta.url));
  const shown = await takePictures(browser, pictures);
  await writeFile(join(pictures, 'shown.json'), `${JSON.stringify(shown, null, 2)}\n`);
  await browser.close();
  say(`Снимки: ${pictures}`);
  process.exit(0);
}
const product = await startDemoProduct();
try {
  const tokens = await prepare(product.consoleUrl, await freePort(), PASSWORD, demoFeed);
  await rm(folder, { recursive: true, force: true });
  const browser = await chromium.launch(config.use?.launchOptions);
  const looks = [...appearances, ...wideAppearances];
  const work = async () => {
    for (let look = looks.shift(); look !== undefined; look = looks.shift())
      await takeScreens(browser, product.consoleUrl, tokens, look);
  };
  // Two browsers at a time, because more of them time out on a small machine.
  await Promise.all([work(), work()]);
  await browser.close();
  say(`Снимки: ${folder}`);
} finally {
  await endProduct(product);
}
process.exit(missed === 0 ? 0 : 1);
