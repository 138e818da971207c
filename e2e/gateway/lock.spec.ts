import { expect, type Locator, type Page } from '@playwright/test';
import { me } from '@propusk/contract/me';
import { createPolicy } from '@propusk/contract/policies';
import { createSite } from '@propusk/contract/sites';
import { companyUsers, createUser, updateUser } from '@propusk/contract/users';
import { freePort } from '@propusk/test-kit/daemon';
import { startLockedSites } from '../../scripts/locked-site.ts';
import {
  AGE_CHECKS,
  choose,
  dialogOf,
  enter,
  row,
  screensOf,
  startConsole,
  test,
} from '../support/console.ts';

/**
 * A site's own lock, from the owner's view. The console reports the site as open and shows the lines that
 * lock it. The test adds the lines to a real Apache. The console then confirms the lock, and later reports
 * that the lock is gone.
 *
 *   the outside probe comes from 127.0.0.1, the gateway from 127.0.0.2
 */
const EGRESS = '127.0.0.2';
const OPEN = 'Require ip 127.0.0.0/8\n';
const hosts = { desktop: 'crm.romashka.test', phone: 'wiki.romashka.test' };
const domains = '/dashboard/creator/domains';
/** A probe makes a dozen sequential requests, so its verdict needs a longer timeout. */
const PROBE = { timeout: 45_000 };

let sites: Awaited<ReturnType<typeof startLockedSites>>;
let sitePort: number;
/** A port on which no server listens. */
let deadPort: number;
let owner: string;
let deadOwner: string;

test.describe.configure({ mode: 'serial' });

test.beforeAll(async () => {
  sitePort = await freePort();
  deadPort = await freePort();
  sites = await startLockedSites(
    sitePort,
    Object.values(hosts).map((name) => ({ name, title: name, admits: null })),
  );
});
test.afterAll(() => sites.stop());

const product = startConsole(
  async (console) => {
    owner = await console.owner('owner@romashka.test');
    const politics = [
      (await console.call(owner, createPolicy, { body: { name: 'Продажи', proxyId: 1 } })).id,
    ];
    for (const host of Object.values(hosts)) {
      await console.call(owner, createSite, { body: { address: `${host}:${sitePort}`, politics } });
    }
    await console.call(owner, createSite, { body: { address: 'sklad.romashka.test' } });
    const dead = await console.owner('owner@lutik.test');
    const users = [(await console.call(dead, me)).id];
    const policy = await console.call(dead, createPolicy, {
      body: { name: 'Сотрудники', proxyId: 1, users },
    });
    const body = { address: `dead.lutik.test:${deadPort}`, politics: [policy.id] };
    await console.call(dead, createSite, { body });
    deadOwner = dead;
    const password = 'correct horse';
    const petr = { name: 'Пётр', surname: 'Орлов', email: 'petr@romashka.test', password };
    await console.call(owner, createUser, { body: { ...petr, politics } });
    const gleb = { name: 'Глеб', surname: 'Тихонов', email: 'gleb@romashka.test', password };
    await console.call(owner, createUser, { body: gleb });
  },
  (ports) => ({
    GATEWAY_EGRESS: EGRESS,
    GATEWAY_HOSTS: ['console.test', 'dead.lutik.test', ...Object.values(hosts)]
      .map((name) => `${name}=127.0.0.1`)
      .join(','),
    GATEWAY_ALLOW_NETWORKS: '127.0.0.0/8',
    // ECHO_URL needs a host name, because the gateway denies IP addresses as hosts.
    ECHO_URL: `http://console.test:${ports.console}`,
  }),
);

const open = (page: Page, path = domains) => enter(page, product.url + path, owner);
/** Waits for a verdict. The api refuses a new probe for 10 s, so the test dates earlier probes back. */
const verdict = (dialog: Locator, name: string) =>
  expect(async () => {
    const again = dialog.getByRole('button', { name: /^Проверить/ });
    if (await dialog.getByText('Сайт только что проверяли').isVisible()) {
      await product.sql(AGE_CHECKS);
      await again.click();
    }
    await expect(dialog.getByRole('status').filter({ hasText: name })).toBeVisible({ timeout: 3000 });
  }).toPass(PROBE);
const mark = (page: Page, host: string) =>
  row(page, new RegExp(host)).getByRole('button', { name: /^Проверка/ });
const close = async (page: Page) => {
  await dialogOf(page).getByRole('button', { name: 'Закрыть' }).first().click();
  await expect(dialogOf(page)).toHaveCount(0);
};

for (const [screen, viewport] of screensOf(import.meta.url)) {
  test.describe(screen, () => {
    test.use({ viewport });
    const host = hosts[screen];
    const title = () => `${host}:${sitePort}`;

    test('a probe reports a site without a lock as open to everyone', async ({ page }) => {
      await sites.lock(host, OPEN);
      await open(page);
      await expect(mark(page, host)).toHaveText('Не проверен');
      await expect(mark(page, host)).toHaveAttribute('data-tone', 'warning');
      await expect(
        row(page, new RegExp(host)).getByRole('button', { name: `Защитить ${host}` }),
      ).toBeVisible();
      // Viewing the last result starts no probe.
      await mark(page, host).click();
      await expect(dialogOf(page).getByText('Этот сайт ещё не проверяли')).toBeVisible();
      await close(page);

      await choose(page, new RegExp(host), 'Проверить');
      const dialog = dialogOf(page);
      await verdict(dialog, 'Открыт всем');
      // A failed step stays visible with its advice. The other steps are folded.
      await expect(dialog.getByText('Что сделать:').first()).toBeVisible();
      await expect(dialog.getByRole('heading', { name: 'Снаружи: отказов нет' })).toBeVisible();
      const outside = dialog.getByRole('list', { name: 'Снаружи не отказано' });
      await expect(outside.getByRole('listitem').filter({ hasText: 'неверно' }).first()).toContainText('200');
      await expect(outside).toContainText('Вставьте строки из «Защитить» на сервере.');
      const glance = dialog.getByRole('heading', { name: 'Через «Пропуск»: открывается' });
      const inside = dialog.getByRole('list', { name: 'Через «Пропуск» сайт должен открыться' });
      await expect(inside).toHaveCount(0);
      await glance.click();
      await expect(inside.getByRole('listitem').first()).toBeVisible();
      await close(page);
      await expect(mark(page, host)).toHaveText('Открыт всем');
      await expect(mark(page, host)).toHaveAttribute('data-tone', 'bad');
      await expect(page.getByText('Открыты всем: 1', { exact: true })).toBeVisible();
      await row(page, new RegExp(host))
        .getByRole('button', { name: `Защитить ${host}` })
        .click();
      await expect(page.getByRole('dialog', { name: `Замок: ${title()}` })).toBeVisible();
    });

    test("the lock's lines in .htaccess close the site to strangers, and a probe confirms that", async ({
      page,
      browser,
    }) => {
      await open(page);
      await choose(page, new RegExp(host), 'Защитить');
      const dialog = dialogOf(page);
      // The egress addresses are unknown on the first screen size and already stored on the second.
      await dialog.getByRole('button', { name: /^Узнать адреса/ }).click();
      const egress = dialog.getByRole('list', { name: 'С каких адресов приходят ваши сотрудники' });
      await expect(egress).toContainText(EGRESS, PROBE);
      await expect(egress).toContainText('Продажи');
      await expect(dialog.getByRole('radio', { name: 'Apache, .htaccess' })).toBeChecked();
      const code = dialog.getByRole('region', { name: 'Строки замка' }).locator('pre');
      await expect(code).toContainText(`Require ip ${EGRESS}`);
      const lines = (await code.textContent()) ?? '';

      await dialog.getByText('nginx', { exact: true }).click();
      await expect(code).toContainText(`${EGRESS} `);
      await expect(code).not.toContainText('Require ip');
      await dialog.getByRole('checkbox', { name: /через CDN/ }).check();
      await expect(code).toContainText('http_cf_connecting_ip');

      await dialog.getByRole('button', { name: 'Отправить коллеге' }).click();
      const link = await dialog.getByRole('textbox', { name: 'Ссылка для коллеги' }).inputValue();
      expect(link).toMatch(new RegExp(`^${product.url}/lock#.{43}$`));
      const colleague = await browser.newPage({ viewport });
      await colleague.goto(link);
      await expect(
        colleague.getByRole('heading', { level: 1, name: `Замок для сайта ${title()}` }),
      ).toBeVisible();
      await expect(colleague.locator('pre')).toHaveText(lines.trimEnd(), { useInnerText: true });
      await expect(colleague.getByText(/Ссылка действует до/)).toBeVisible();
      await colleague.close();

      // The console tells the owner to put the lock above the existing lines of .htaccess.
      await sites.lock(host, `${lines}\n${OPEN}`);
      await dialog.getByRole('button', { name: 'Проверить' }).click();
      await verdict(dialog, 'Защищён');
      await expect(dialog.getByText('неверно')).toHaveCount(0);
      await expect(dialog.getByRole('heading', { name: 'Через «Пропуск»: открывается' })).toBeVisible();
      await expect(dialog.getByRole('listitem')).toHaveCount(0);
      const glance = dialog.getByRole('heading', { name: /^Снаружи отказано: / });
      const [, refused, asked] =
        /^Снаружи отказано: (\d+) из (\d+) запрос/.exec(await glance.innerText()) ?? [];
      expect(refused).toBe(asked);
      await glance.click();
      const outside = dialog.getByRole('list', { name: 'Снаружи сайт должен отказать' });
      await expect(outside.getByRole('listitem').filter({ hasText: '403' })).not.toHaveCount(0);
      await close(page);
      await expect(mark(page, host)).toHaveText('Защищён');
      await expect(page.getByText('Открыты всем', { exact: false })).toHaveCount(0);
      await expect(row(page, new RegExp(host)).getByRole('button', { name: /^Защитить/ })).toHaveCount(0);
    });

    test('every page reports a site whose lock was removed, until a probe finds the lock in force again', async ({
      page,
    }) => {
      await open(page);
      await expect(mark(page, host)).toHaveText('Защищён');
      await sites.lock(host, OPEN);
      await choose(page, new RegExp(host), 'Проверить');
      await verdict(dialogOf(page), 'Открыт всем');
      await close(page);
      await expect(mark(page, host)).toHaveText('Открыт всемБыл защищён');

      await open(page, '/dashboard/creator/users');
      const banner = page.getByRole('region', { name: 'Защита сайтов' });
      await expect(banner).toContainText(`Сайт ${title()} был защищён, а теперь открыт всем`);
      await sites.lock(host, `Require ip ${EGRESS}\n`);
      await banner.getByRole('button', { name: `Проверить ${title()}` }).click();
      await verdict(dialogOf(page), 'Защищён');
      await close(page);
      await expect(banner).toHaveCount(0);
    });

    test('the lock dialog of a site without a policy asks the owner to assign one first', async ({
      page,
    }) => {
      await open(page);
      await choose(page, /sklad/, 'Защитить');
      await expect(dialogOf(page).getByText('Сначала назначьте сайту политику доступа')).toBeVisible();
      // The button leads to the site's form, where the owner assigns a policy.
      await dialogOf(page).getByRole('button', { name: 'Назначить политику' }).click();
      await expect(page.getByRole('dialog', { name: 'Сайт' })).toBeVisible();
      await expect(dialogOf(page).getByRole('textbox', { name: 'Адрес' })).toHaveValue(/sklad/);
      await expect(dialogOf(page).getByRole('combobox', { name: 'Политики доступа' })).toBeVisible();
    });

    test('the access dialog of a site explains why a user can or cannot reach it', async ({ page }) => {
      await open(page);
      await choose(page, new RegExp(host), 'Проверить доступ пользователя');
      const dialog = dialogOf(page);
      const ask = async (name: string) => {
        await dialog.getByRole('combobox', { name: 'Пользователь' }).click();
        await page.getByRole('option', { name: new RegExp(name) }).click();
      };
      await ask('Орлов');
      await expect(dialog.getByRole('status')).toContainText('Доступ есть');
      const links = dialog.getByRole('list', { name: 'Путь от пользователя к сайту' }).getByRole('listitem');
      await expect(links.first()).toContainText('да');
      await expect(links.getByText('нет', { exact: true })).toHaveCount(0);
      await ask('Тихонов');
      await expect(dialog.getByRole('status')).toContainText('Доступа нет');
      await expect(dialog.getByRole('status')).toContainText('no_policy');
      await expect(links.getByText('нет', { exact: true })).not.toHaveCount(0);
      await expect(links.filter({ hasText: 'не проверялось' })).toHaveCount(3);
      // The dialog says which policy the user lacks, and one button adds the user to it.
      await expect(dialog.getByRole('status')).toContainText('Пользователь не состоит в политике «Продажи».');
      await dialog.getByRole('button', { name: 'Добавить в политику «Продажи»' }).click();
      await expect(dialog.getByRole('status')).toContainText('Доступ есть');
      const people = await product.call(owner, companyUsers);
      const gleb = people.rows.find(({ email }) => email.startsWith('gleb'));
      expect(gleb?.politics.map(({ name }) => name)).toEqual(['Продажи']);
      await product.call(owner, updateUser, { params: { id: gleb?.id ?? 0 }, body: { politics: [] } });
    });

    test('the proxy check reports that a proxy works and which egress address sites see', async ({
      page,
    }) => {
      await open(page, '/dashboard/creator/proxies');
      await row(page, 'Шлюз платформы')
        .getByRole('button', { name: 'Проверить прокси: Шлюз платформы' })
        .click();
      const dialog = dialogOf(page);
      await expect(dialog.getByRole('status')).toContainText('Прокси работает', PROBE);
      await expect(dialog.getByRole('listitem').filter({ hasText: 'Сайты видят адрес' })).toContainText(
        EGRESS,
      );
      await dialog.getByRole('button', { name: 'Проверить снова' }).click();
      await expect(dialog.getByRole('status')).toContainText('Прокси работает', PROBE);
    });

    test('an invalid or truncated link to the lines of a lock shows an explanation', async ({ page }) => {
      await page.goto(`${product.url}/lock#${'x'.repeat(43)}`);
      await expect(page.getByRole('heading', { name: 'Ссылка не действует' })).toBeVisible();
      await expect(page.getByText('её срок 7 дней')).toBeVisible();
      await page.goto(`${product.url}/help`);
      await page.goto(`${product.url}/lock`);
      await expect(page.getByText('в ней не хватает последней части')).toBeVisible();
    });

    test('the onboarding marks the steps that are completed', async ({ page }) => {
      await enter(page, product.url + domains, owner, {});
      const dialog = page.getByRole('dialog', { name: 'Знакомство с «Пропуском»' });
      for (const [index, done] of [true, true, false, true].entries()) {
        await dialog.getByRole('button', { name: new RegExp(`^Слайд ${index + 1}:`) }).click();
        const slide = dialog.locator('[data-shown]');
        await expect(slide.getByText('Сделано')).toHaveCount(done ? 1 : 0);
        await expect(slide.getByRole('link', { name: 'Установить расширение' })).toHaveCount(
          index === 2 ? 1 : 0,
        );
      }
    });
  });
}

test('a site whose server does not reply is reported as down, and completes no onboarding step', async ({
  page,
}) => {
  await enter(page, product.url + domains, deadOwner);
  const steps = page.getByRole('region', { name: 'Первые шаги' });
  await expect(steps.getByText('2 из 6')).toBeVisible();
  await choose(page, /dead/, 'Проверить');
  const dialog = dialogOf(page);
  await verdict(dialog, 'Не отвечает');
  await expect(dialog.getByRole('heading', { name: 'Снаружи: сервер не ответил' })).toBeVisible();
  await expect(dialog.getByText('Проверьте, что сервер работает')).toHaveCount(1);
  await expect(dialog.getByText('Проверьте этот прокси')).toHaveCount(0);
  await close(page);
  await expect(mark(page, 'dead')).toHaveAttribute('data-tone', 'warning');
  await expect(steps.getByText('2 из 6')).toBeVisible();
  await expect(row(page, /dead/).getByRole('button', { name: 'Защитить dead.lutik.test' })).toBeVisible();
});
