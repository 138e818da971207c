import { expect, type Page } from '@playwright/test';
import { createPolicy } from '@propusk/contract/policies';
import { getProbePaths, setProbePaths } from '@propusk/contract/probe';
import { createSite, listSites } from '@propusk/contract/sites';
import {
  choose,
  dialogOf,
  enter,
  field,
  pick,
  row,
  saveOf,
  saveSite,
  screensOf,
  startConsole,
  test,
} from '../support/console.ts';
import { check, learned } from '../support/stubbed-replies.ts';

/** The paths of a site's probe: a pasted address keeps its path, and the lock dialog edits the lists of paths. */

let owner: string;
const product = startConsole(async (console) => {
  owner = await console.owner('owner@romashka.test');
  const policy = { name: 'Продажи', proxyId: 1 };
  const politics = [(await console.call(owner, createPolicy, { body: policy })).id];
  for (const address of ['www.desktop.test', 'www.phone.test'])
    await console.call(owner, createSite, { body: { address, politics } });
});

const open = (page: Page) => enter(page, `${product.url}/dashboard/creator/domains`, owner);
const siteOf = async (address: string) => {
  const { rows } = await product.call(owner, listSites, {});
  const site = rows.find((one) => one.address === address);
  if (site === undefined) throw new Error(`no site ${address}`);
  return site;
};
const pathsOf = async (address: string) =>
  product.call(owner, getProbePaths, { params: { id: (await siteOf(address)).id } });
/** Opens the lock dialog of a site with stubbed egress addresses, and unfolds the paths of its probe. */
async function openPaths(page: Page, address: RegExp, title: string) {
  await page.route('**/api/domain-allowed/*/lock', (route) => route.fulfill({ json: learned }));
  await choose(page, address, 'Защитить');
  const dialog = dialogOf(page);
  await dialog.locator('summary').getByRole('heading', { name: title, exact: true }).click();
  return {
    dialog,
    start: field(dialog, 'Проверять также'),
    open: field(dialog, 'Открыто намеренно'),
    save: dialog.getByRole('button', { name: 'Сохранить пути' }),
  };
}

for (const [screen, viewport] of screensOf(import.meta.url)) {
  test.describe(screen, () => {
    test.use({ viewport });
    const host = `crm.${screen}.test`;

    test('a pasted address keeps its path for the probe, and the lock dialog edits the probe paths', async ({
      page,
    }) => {
      await open(page);
      await page.getByRole('main').getByRole('button', { name: 'Добавить', exact: true }).click();
      const form = dialogOf(page);
      const address = field(form, 'Адрес');
      await expect(address).toHaveAccessibleDescription(/Можно вставить ссылку целиком/);
      await address.fill(`https://${host}/вход?from=mail`);
      await expect(address).toHaveAccessibleDescription(
        `Сайтом станет ${host}, а путь /вход проверка будет открывать вместе с первой страницей`,
      );
      await pick(page, 'Кому открыть', 'Продажи');
      await saveSite(page);
      await expect(row(page, new RegExp(host))).toBeVisible();

      const paths = await openPaths(page, new RegExp(host), 'Проверять также: 1 путь');
      await expect(paths.start).toHaveValue('/вход');
      await expect(paths.save).toBeDisabled();
      await paths.start.fill(`/вход\nhttps://${host}/base/?id=1\n/cron/run`);
      await paths.open.fill('/favicon.ico');
      await expect(paths.start).toHaveValue('/вход\n/base/\n/cron/run');
      await expect(
        paths.dialog.getByRole('alert').filter({ hasText: 'похожи на действие: /cron/run' }),
      ).toBeVisible();
      await paths.save.click();
      await expect(paths.dialog.getByRole('status').filter({ hasText: 'Сохранено' })).toBeVisible();
      await expect(
        paths.dialog.getByRole('heading', {
          name: 'Проверять также: 3 пути. Открыто намеренно: 1',
          exact: true,
        }),
      ).toBeVisible();
      await expect(paths.dialog.getByRole('button', { name: 'Проверить', exact: true })).toBeVisible();
      expect(await pathsOf(host)).toMatchObject({
        startPaths: ['/%D0%B2%D1%85%D0%BE%D0%B4', '/base/', '/cron/run'],
        openPaths: ['/favicon.ico'],
      });
    });

    test('an unusable path gets an explanation, and the form keeps the typed paths', async ({ page }) => {
      await open(page);
      const paths = await openPaths(page, new RegExp(`www.${screen}`), 'Проверять также');
      await paths.start.fill('/base/\nadmin\n/');
      await paths.open.fill('/');
      await paths.open.blur();
      await expect(paths.start).toHaveAccessibleDescription(/«admin»: начните путь с косой черты/);
      await expect(paths.start).toHaveAccessibleDescription(/«\/»: это первая страница/);
      await expect(paths.open).toHaveAccessibleDescription(/«\/»: это первая страница/);
      await expect(paths.save).toBeDisabled();
      await expect(paths.start).toHaveValue('/base/\nadmin\n/');

      // The dialog asks before it discards typed paths.
      await paths.dialog.getByRole('button', { name: 'Проверить', exact: true }).click();
      const question = dialogOf(page).filter({ hasText: 'потерять введённое' });
      await question.getByRole('button', { name: 'Остаться' }).click();
      await expect(paths.start).toHaveValue('/base/\nadmin\n/');

      // The server refuses an entry that this page considers usable.
      await paths.start.fill('/base/\n/two');
      await paths.open.fill('');
      await page.route('**/api/domain-allowed/*/paths', (route) =>
        route.request().method() === 'PUT'
          ? route.fulfill({
              status: 400,
              json: {
                ...{ statusCode: 400, code: 'bad_input', message: 'Проверьте поля' },
                fields: { 'startPaths.1': 'Проверьте это поле' },
              },
            })
          : route.fallback(),
      );
      await paths.save.click();
      await expect(paths.start).toHaveAccessibleDescription(/Проверьте это поле/);
      await expect(paths.start).toHaveValue('/base/\n/two');
      await expect(dialogOf(page).getByRole('alert').filter({ hasText: 'Проверьте поля' })).toBeVisible();
    });

    test('after another user saved paths, the dialog loads those paths on request and keeps the typed ones', async ({
      page,
    }) => {
      const address = `www.${screen}.test`;
      await open(page);
      const paths = await openPaths(page, new RegExp(address), 'Проверять также');
      await paths.start.fill('/mine');
      const { id } = await siteOf(address);
      await product.call(owner, setProbePaths, {
        params: { id },
        body: { startPaths: ['/theirs'], openPaths: ['/robots.txt'] },
      });
      await paths.save.click();
      await paths.dialog.getByRole('button', { name: 'Загрузить изменения' }).click();
      await expect(paths.open).toHaveValue('/robots.txt');
      await expect(paths.start).toHaveValue('/mine');
      await paths.save.click();
      await expect(paths.dialog.getByRole('status').filter({ hasText: 'Сохранено' })).toBeVisible();
      expect(await pathsOf(address)).toMatchObject({ startPaths: ['/mine'], openPaths: ['/robots.txt'] });
    });

    test('when the probe paths fail to load, the dialog offers a retry', async ({ page }) => {
      await open(page);
      let fails = true;
      await page.route('**/api/domain-allowed/*/paths', (route) =>
        fails ? route.fulfill({ status: 500 }) : route.fallback(),
      );
      const paths = await openPaths(page, new RegExp(`www.${screen}`), 'Проверять также');
      await expect(paths.dialog.getByText('Пути не загрузились')).toBeVisible();
      fails = false;
      await paths.dialog.getByRole('button', { name: 'Повторить' }).click();
      await expect(paths.start).toBeVisible();
    });

    test('an owner adds the target of a redirect from the probe result as a site with the same policies', async ({
      page,
    }) => {
      const target = `new.${screen}.test`;
      await page.route('**/api/domain-allowed/*/check', (route) =>
        route.fulfill({ json: check('unknown', target) }),
      );
      await open(page);
      const probed = row(page, new RegExp(`www.${screen}`));
      await probed.getByRole('button', { name: /^Проверка/ }).click();
      const dialog = page.getByRole('dialog', { name: /^Проверка:/ });
      await dialog.getByRole('button', { name: 'Добавить сайт' }).click();
      const form = page.getByRole('dialog', { name: 'Новый сайт' });
      await expect(field(form, 'Адрес')).toHaveValue(target);
      await expect(form.getByText('Продажи')).toBeVisible();
      await saveOf(form).click();
      await expect(form).toHaveCount(0);
      await expect(dialog.getByRole('button', { name: 'Проверить снова' })).toBeEnabled();
      expect((await siteOf(target)).politics.map(({ name }) => name)).toEqual(['Продажи']);
    });

    test('the policy form adds a site with the path of a pasted address', async ({ page }) => {
      const target = `base.${screen}.test`;
      await enter(page, `${product.url}/dashboard/creator/politics`, owner);
      await choose(page, /Продажи/, 'Редактировать');
      await dialogOf(page).getByRole('combobox', { name: 'Сайты' }).fill(`http://${target}/base/`);
      await page.getByRole('option', { name: `Добавить сайт «${target}», проверять и /base/` }).click();
      await expect(dialogOf(page).getByText(target)).toBeVisible();
      expect((await pathsOf(target)).startPaths).toEqual(['/base/']);
    });
  });
}
