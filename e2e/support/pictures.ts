import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { type AddressInfo, connect, createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { pipeline } from 'node:stream';
import { setTimeout } from 'node:timers/promises';
import { type Browser, expect, type Page } from '@playwright/test';
import { me } from '@propusk/contract/me';
import { createPlan, listPlans, updatePlan } from '@propusk/contract/plans';
import { setContact, setPhone, setTariff } from '@propusk/contract/tariff';
import { freePort } from '@propusk/test-kit/daemon';
import { type Call, caller } from '../../scripts/call.ts';
import { demoSettings, demoSites, PASSWORD } from '../../scripts/demo-data.ts';
import { startLockedSites } from '../../scripts/locked-site.ts';
import { endProduct } from './product.ts';
import { answeringReload, charted, type Scenario, type Steps, shows } from './scenario.ts';
import { contact, serverState } from './stubbed-replies.ts';
import { demoFeed, prepare, startDemoProduct, type Tokens, viewersOf, visit } from './visit.ts';

/** The labels of each picture: navigation, headings, columns, fields and buttons, without numbers and data. */
export type Shown = Readonly<Record<string, readonly string[]>>;

const creator = '/dashboard/creator';
const sites = `${creator}/domains`;
/** The site of the demo without a lock. */
const openSite = demoSites.find(({ admits }) => admits === null)?.name ?? '';
const protectedSites = demoSites.filter(
  ({ name, admits }) => admits !== null && name.endsWith('romashka.test'),
);

/** Waits until the list has loaded without the onboarding card, because the company of the demo has completed the first steps. */
const listed: Steps = async (page) => {
  await page.waitForLoadState('networkidle');
  await expect(page.getByRole('region', { name: 'Первые шаги' })).toBeHidden();
};
/** Waits for the first probe of every site that the demo serves. */
const probed: Steps = (page) =>
  expect(async () => {
    await page.reload();
    const marks = (text: string) => page.getByRole('button', { name: /^Проверка/ }).filter({ hasText: text });
    await expect(marks('Защищён')).toHaveCount(protectedSites.length);
    await expect(marks('Открыт всем')).toHaveCount(1);
    await listed(page);
  }).toPass({ timeout: 120_000 });
const proof: Steps = async (page) => {
  await listed(page);
  await page.getByRole('button', { name: /^Проверка crm/ }).click();
  // Probe again: the first probe may run before the gateway has the policy, and then reads no page.
  await page.getByRole('button', { name: 'Проверить снова' }).click();
  await shows('Проверяем сайт…')(page);
  await expect(page.getByRole('dialog').getByRole('heading', { name: /^Снаружи отказано/ })).toBeVisible({
    timeout: 60_000,
  });
};
const pictures: readonly (Scenario & {
  /** The viewport height in pixels, chosen so that the lower edge cuts no line of text. */
  height?: number;
})[] = [
  { name: 'sites', role: 'owner', path: sites, open: probed },
  { name: 'sites-dark', role: 'owner', path: sites, open: listed },
  { name: 'proof', role: 'owner', path: sites, open: proof },
  {
    name: 'statistics',
    role: 'owner',
    path: `${creator}/statistics?days=30`,
    open: charted,
    height: 1368,
  },
  { name: 'access-log', role: 'owner', path: `${creator}/statistics/log`, height: 874 },
  { name: 'tariff', role: 'owner', path: `${creator}/tariff`, open: shows('Тарифы на выбор'), height: 1064 },
  {
    name: 'state',
    role: 'admin',
    path: '/dashboard/admin/state',
    open: answeringReload('**/api/state', serverState, shows('Взгляд снаружи')),
  },
];

/**
 * Takes the pictures of the documents, on a demo with visits, plans and locked sites.
 * @param folder the target of the files; null writes no files
 */
export async function takePictures(browser: Browser, folder: string | null): Promise<Shown> {
  await using started = new AsyncDisposableStack();
  const port = await freePort();
  const apache = await startLockedSites(port, demoSites);
  started.defer(apache.stop);
  let delayMs = 0;
  const forwarder = await forward(port, () => delayMs);
  started.defer(() => void forwarder.close());
  const { port: sitePort } = forwarder.address() as AddressInfo;
  const product = await startDemoProduct(demoSettings);
  started.defer(() => endProduct(product));
  const { consoleUrl } = product;
  const call = caller(() => consoleUrl);
  const tokens = await prepare(consoleUrl, sitePort, PASSWORD, demoFeed);
  await sellPlans(call, tokens);
  const viewers = viewersOf(browser, () => tokens);
  started.defer(viewers.close);
  if (folder !== null) await mkdir(folder, { recursive: true });
  const shown: Record<string, readonly string[]> = {};
  for (const picture of pictures) {
    const look = { scheme: picture.name.endsWith('dark') ? 'dark' : 'light', size: 'desktop' } as const;
    const page = await (await viewers.contextOf(look, picture)).newPage();
    await page.setViewportSize({ width: 1440, height: picture.height ?? 900 });
    await visit(page, consoleUrl, picture);
    await page.mouse.move(0, 0);
    if (folder !== null) await page.screenshot({ path: join(folder, `${picture.name}.png`) });
    shown[picture.name] = await labelsOf(page);
    await page.close();
  }
  const phone = await viewers.contextOf({ scheme: 'light', size: 'phone' }, frame);
  const page = await phone.newPage();
  await visit(page, consoleUrl, frame);
  // Delay each connection: a probe on loopback would end before the screenshot.
  delayMs = 150;
  const { frames, labels } = await takeLoop(page, (lines) => apache.lock(openSite, lines));
  if (folder !== null) await writeFile(join(folder, 'loop.png'), await joined(browser, frames));
  return { ...shown, loop: labels };
}

const frame: Scenario = { name: 'loop', role: 'owner', path: sites, open: listed };

/**
 * Forwards port 80 of 127.0.0.1 to Apache, so that the addresses of sites show no port. Uses a free port when this process may not
 * listen on port 80. Connects to Apache from the client's address.
 * @param delay returns the delay of each connection, in milliseconds
 */
async function forward(port: number, delay: () => number): Promise<Server> {
  const server = createServer(async (client) => {
    client.on('error', () => {});
    await setTimeout(delay());
    if (client.destroyed) return;
    const localAddress = client.remoteAddress ?? '';
    pipeline(client, connect({ host: '127.0.0.1', port, localAddress }), client, () => {});
  });
  server.once('error', () => server.listen(0, '127.0.0.1'));
  server.listen(80, '127.0.0.1');
  await once(server, 'listening');
  return server;
}

/**
 * Locks and probes the open site, and takes the screenshots in a phone-sized window.
 * @param lock writes the lock's lines to the site's server
 */
async function takeLoop(page: Page, lock: (lines: string) => Promise<void>) {
  const frames: Buffer[] = [];
  await page.setViewportSize({ width: 460, height: 760 });
  await page.getByRole('button', { name: `Защитить ${openSite}` }).click();
  const dialog = page.getByRole('dialog');
  const code = dialog.getByRole('region', { name: 'Строки замка' }).locator('pre');
  const lines = (await code.textContent()) ?? '';
  await dialog.getByText('Куда вставить').evaluate(belowTitle);
  frames.push(await page.screenshot());
  const labels = await labelsOf(page);
  await lock(lines);
  await dialog.getByRole('button', { name: 'Проверить', exact: true }).click();
  await expect(dialog.getByText(/^Снаружи: проверено [1-9]/)).toBeVisible();
  frames.push(await page.screenshot());
  await expect(dialog.getByRole('status')).toContainText('Защищён', { timeout: 60_000 });
  await dialog.getByRole('heading', { name: /^Снаружи отказано/ }).click();
  await page.mouse.move(0, 0);
  frames.push(await page.screenshot());
  return { frames, labels: [...new Set([...labels, ...(await labelsOf(page))])] };
}

/** Scrolls an element below the title of a dialog, which stays in place. Evaluated in the page. */
const belowTitle = (element: { scrollIntoView(): void; style?: { scrollMarginTop: string } }) => {
  if (element.style) element.style.scrollMarginTop = '88px';
  element.scrollIntoView();
};

/** Joins pictures side by side into one picture, 1440 pixels wide. */
async function joined(browser: Browser, frames: readonly Buffer[]): Promise<Buffer> {
  const page = await browser.newPage({ viewport: { width: 1440, height: 792 } });
  const images = frames.map((png) => `<img src="data:image/png;base64,${png.toString('base64')}">`);
  await page.setContent(`<style>body { display: flex; gap: 14px; margin: 16px; background: #d9e2df }
    img { border-radius: 12px }</style>${images.join('')}`);
  const png = await page.screenshot();
  await page.close();
  return png;
}

/** The labels that a page shows, each up to its first number. Rows of tables are data. */
async function labelsOf(page: Page): Promise<string[]> {
  const labels = page.locator('nav a, h1, h2, h3, th, label, legend, button').filter({ visible: true });
  const texts = await labels.evaluateAll((all) =>
    all
      .filter((one) => one.closest('tbody') === null)
      .map((one) => (one as unknown as { innerText: string }).innerText),
  );
  return [...new Set(texts.map((text) => text.split(/\d/)[0]?.trim() ?? ''))].filter((text) => text !== '');
}

/** Adds plans to the platform, gives one to the first company, and sets the contact that owners see. */
async function sellPlans(call: Call, { admin, owner }: Tokens): Promise<void> {
  const plan = { paidProxies: false, allSites: false, offered: true, trial: false };
  const rub = (amount: number) => ({ amount, currency: 'RUB' }) as const;
  const start = { ...plan, name: 'Старт', people: 10, sites: 5, proxies: 1 };
  const [standard] = (await call(admin, listPlans)).rows;
  await call(admin, updatePlan, { params: { id: standard?.id ?? 0 }, body: start });
  const team = { ...plan, name: 'Команда', price: rub(149_000), people: 50, sites: 20, proxies: 5 };
  const { id } = await call(admin, createPlan, { body: team });
  const business = { ...plan, name: 'Бизнес', price: rub(499_000), people: 500, sites: 200, proxies: 20 };
  await call(admin, createPlan, { body: { ...business, paidProxies: true, allSites: true } });
  const { version: _version, ...body } = contact;
  await call(admin, setContact, { body });
  const { company } = await call(owner, me);
  const planEndsAt = new Date(Date.now() + 90 * 86_400_000).toISOString();
  await call(admin, setTariff, { params: { id: company?.id ?? 0 }, body: { planId: id, planEndsAt } });
  await call(owner, setPhone, { body: { phone: '+79031112233' } });
}
