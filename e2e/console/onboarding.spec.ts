import { expect, type Page } from '@playwright/test';
import { enter, heading, screensOf, startConsole, stored, test } from '../support/console.ts';

/** The four slides of the first visit. */
let owner: string;
const product = startConsole(async (console) => {
  owner = await console.owner('owner@romashka.test');
});

const slides = [
  ['Добавьте сайты компании', /CRM, база знаний, админка сайта/],
  ['Настройте сайт', /файл \.htaccess.*сделают наши сотрудники/],
  ['Установите расширение для браузера', /защищённые ресурсы.*защищает админ-панель/],
  ['Добавьте сотрудников', /настройте доступ через политики доступа/],
] as const;

const dialogOf = (page: Page) => page.getByRole('dialog', { name: 'Знакомство с «Пропуском»' });

/** Expects one slide with its title, text, picture and dot. */
async function shows(page: Page, index: number): Promise<void> {
  const [title, text] = slides[index] ?? ['', ''];
  const dialog = dialogOf(page);
  await expect(dialog.getByRole('heading')).toHaveText([title]);
  await expect(dialog.getByText(text)).toBeVisible();
  await expect(dialog.getByRole('status')).toHaveText(`Слайд ${index + 1} из 4: ${title}`);
  await expect(dialog.locator('[data-shown] svg').first()).toBeVisible();
  const current = dialog.getByRole('group', { name: 'Слайды' }).locator('[aria-current="true"]');
  await expect(current).toHaveAccessibleName(`Слайд ${index + 1}: ${title}`);
}

for (const [screen, viewport] of screensOf(import.meta.url)) {
  test.describe(screen, () => {
    test.use({ viewport });

    test('the first visit shows four onboarding slides, and arrows, dots and keys move between them in a circle', {
      tag: ['@2.49', '@2.50', '@4.15', '@4.17'],
    }, async ({ page }) => {
      await enter(page, `${product.url}/dashboard/creator/domains`, owner, {});
      const dialog = dialogOf(page);
      await expect(dialog.locator('..')).toHaveCSS('border-top-width', '0px');
      const next = dialog.getByRole('button', { name: 'Следующий слайд' });
      const previous = dialog.getByRole('button', { name: 'Предыдущий слайд' });
      for (const index of [0, 1, 2, 3]) {
        await shows(page, index);
        await next.click();
      }
      await shows(page, 0);
      for (const index of [3, 2, 1]) {
        await previous.click();
        await shows(page, index);
      }
      const dots = dialog.getByRole('group', { name: 'Слайды' }).getByRole('button');
      await expect(dots).toHaveCount(4);
      for (const index of [3, 0, 2]) {
        await dots.nth(index).click();
        await shows(page, index);
      }
      await page.keyboard.press('ArrowRight');
      await page.keyboard.press('ArrowRight');
      await shows(page, 0);
      await page.keyboard.press('ArrowLeft');
      await shows(page, 3);
    });

    test('an agent sees one onboarding slide with a link to the installation of the extension, and an admin sees no slide', async ({
      page,
    }) => {
      const agent = await product.agent(owner, `slides-${screen}@romashka.test`);
      await enter(page, `${product.url}/dashboard/user/domains`, agent, {});
      const dialog = dialogOf(page);
      await expect(dialog.getByRole('heading')).toHaveText(['Установите расширение для браузера']);
      await expect(dialog.getByRole('link', { name: 'Установить расширение' })).toBeVisible();
      await expect(dialog.getByRole('button')).toHaveText(['Understood!']);
      await page.keyboard.press('ArrowRight');
      await expect(dialog.getByRole('heading')).toBeVisible();
      await dialog.getByRole('button', { name: 'Understood!' }).click();
      await expect(dialog).toHaveCount(0);
      expect(await stored(page, 'checkOnboarding')).toBe('true');

      await enter(page, `${product.url}/dashboard/admin/companies`, await product.admin(), {});
      await expect(page.getByRole('row').nth(1)).toBeVisible();
      await page.waitForLoadState('networkidle');
      await expect(page.getByRole('dialog')).toHaveCount(0);
      expect(await stored(page, 'checkOnboarding')).toBeNull();
    });

    test('the logo leads an agent and an admin to their own start page, and a postponed onboarding stays closed', async ({
      page,
    }) => {
      const agent = await product.agent(owner, `agent-${screen}@romashka.test`);
      for (const [token, path, title] of [
        [agent, '/dashboard/user/personal-data', 'Сайты'],
        [await product.admin(), '/dashboard/admin/users', 'Компании'],
      ] as const) {
        await enter(page, product.url + path, token, {});
        await expect(page.getByRole('banner')).toBeVisible();
        if (token === agent) {
          await expect(page.getByRole('dialog')).toBeVisible();
          await page.keyboard.press('Escape');
        }
        await expect(page.getByRole('dialog')).toHaveCount(0);
        await page.evaluate(`document.querySelector('header').mark = 'kept'`);
        await page
          .getByRole('banner')
          .getByRole('link', { name: /^Пропуск/ })
          .click();
        await expect(page.getByRole('heading', { level: 1, name: title })).toBeVisible();
        await page.waitForLoadState('networkidle');
        await expect(page.getByRole('dialog')).toHaveCount(0);
        expect(await page.evaluate(`document.querySelector('header').mark`)).toBe('kept');
      }
    });

    test('only the "Understood!" button ends the onboarding for good', {
      tag: ['@2.49', '@4.15', '@4.16'],
    }, async ({ page }) => {
      // A signed-out visitor sees no onboarding.
      await enter(page, `${product.url}/auth/login`, null, {});
      await expect(heading(page, 'Вход')).toBeVisible();
      await expect(dialogOf(page)).toHaveCount(0);

      await enter(page, `${product.url}/dashboard/creator/company`, owner, {});
      await expect(dialogOf(page)).toBeVisible();
      // Neither a click outside nor Escape ends the onboarding.
      await page.mouse.click(2, viewport.height / 2);
      await expect(dialogOf(page)).toBeVisible();
      await page.keyboard.press('Escape');
      await expect(dialogOf(page)).toHaveCount(0);
      expect(await stored(page, 'checkOnboarding')).toBeNull();
      await page.reload();
      await dialogOf(page).getByRole('button', { name: 'Understood!' }).click();
      await expect(dialogOf(page)).toHaveCount(0);
      expect(await stored(page, 'checkOnboarding')).toBe('true');
      for (const [path, title] of [
        ['company', 'Компания'],
        ['users', 'Пользователи'],
      ]) {
        await page.goto(`${product.url}/dashboard/creator/${path}`);
        await expect(heading(page, title ?? '')).toBeVisible();
        await expect(page.getByRole('row').nth(1)).toBeVisible();
        await expect(dialogOf(page)).toHaveCount(0);
      }
    });
  });
}

test('the onboarding keeps its height from slide to slide', async ({ page }) => {
  await enter(page, `${product.url}/dashboard/creator/domains`, owner, {});
  const dialog = dialogOf(page);
  const heights = new Set<number>();
  for (const index of [1, 2, 3, 4]) {
    await expect(dialog.getByRole('status')).toHaveText(new RegExp(`^Слайд ${index} из 4`));
    heights.add((await dialog.boundingBox())?.height ?? 0);
    await page.keyboard.press('ArrowRight');
  }
  expect(heights.size).toBe(1);
});
