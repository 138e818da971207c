import { expect, type Page } from '@playwright/test';
import { me } from '@propusk/contract/me';
import { enter, field, heading, screensOf, startConsole, stored, test } from '../support/console.ts';

/** The forms of the auth area: accepted values, requests, and texts. */
const product = startConsole(async (console) => {
  await console.owner('taken@romashka.test');
});
const EMPTY = 'Заполните это поле';
const EMAIL = 'Укажите почту, до @ латиницей: name@company.ru';
const EIGHT = 'Не короче 8 символов';

/**
 * Enters a bad value into each field in turn: the field shows its error, and the button is disabled until
 * the value is corrected.
 */
async function refuses(
  page: Page,
  button: string,
  good: Readonly<Record<string, string>>,
  bad: readonly (readonly [label: string, value: string, says: string])[],
): Promise<void> {
  const main = page.getByRole('main');
  const submit = main.getByRole('button', { name: button });
  await expect(submit).toBeDisabled();
  for (const [label, value] of Object.entries(good)) await field(main, label).fill(value);
  for (const box of await main.getByRole('checkbox').all()) await box.check();
  await expect(submit).toBeEnabled();
  for (const [label, value, says] of bad) {
    await field(main, label).fill(value);
    await field(main, label).blur();
    await expect(field(main, label), `${label}: ${value}`).toHaveAccessibleDescription(new RegExp(says));
    await expect(submit).toBeDisabled();
    await field(main, label).fill(good[label] ?? '');
    await expect(submit).toBeEnabled();
  }
}

/** Holds the next call, and expects a busy button meanwhile. */
async function busy(page: Page, call: string, button: string, submit: () => Promise<void>): Promise<void> {
  const go = Promise.withResolvers<void>();
  await page.route(
    call,
    async (route) => {
      await go.promise;
      await route.fallback();
    },
    { times: 1 },
  );
  await submit();
  const shown = page.getByRole('main').getByRole('button', { name: button });
  await expect(shown).toHaveAttribute('data-loading', 'true');
  await expect(shown).toBeDisabled();
  go.resolve();
  await expect(shown).not.toHaveAttribute('data-loading', 'true');
}

for (const [screen, viewport] of screensOf(import.meta.url)) {
  test.describe(screen, () => {
    test.use({ viewport });

    test("the auth area is dark, with the logo top left and a form of 600 pixels or the phone's full width", {
      tag: ['@2.1', '@2.3', '@2.4', '@2.5'],
    }, async ({ page }) => {
      const { width } = viewport;
      for (const [path, title, fields, links] of [
        ['login', 'Вход', ['Почта', 'Пароль'], ['/auth/register', '/auth/reset']],
        [
          'register',
          'Регистрация',
          ['Имя', 'Название компании', 'Сайт компании', 'Почта', 'Пароль', 'Повторите пароль'],
          ['/auth/rules', '/auth/login'],
        ],
        ['reset', 'Новый пароль', ['Почта'], ['/auth/login']],
      ] as const) {
        // The light scheme chosen for the dashboard does not apply to the auth area.
        await enter(page, `${product.url}/auth/${path}`, null, { color_scheme: 'light' });
        await expect(heading(page, title)).toBeVisible();
        await expect(page.locator('html')).toHaveAttribute('data-mantine-color-scheme', 'dark');
        const main = page.getByRole('main');
        for (const label of fields) await expect(field(main, label)).toBeVisible();
        for (const to of links) await expect(main.locator(`a[href="${to}"]`)).toBeVisible();
        const form = await page.locator('form').boundingBox();
        if (screen === 'desktop') expect(form?.width).toBeGreaterThanOrEqual(600);
        else expect(form?.width).toBe(width - 32);
        const logo = await page.getByRole('banner').getByRole('link', { name: 'Пропуск' }).boundingBox();
        expect(logo?.x).toBeLessThan(60);
        expect(logo?.y).toBeLessThan(60);
        expect(await page.evaluate<number>('document.documentElement.scrollWidth')).toBeLessThanOrEqual(
          width,
        );
      }
    });

    test('the sign-in button is disabled without valid values, and the page shows a refused sign-in', {
      tag: ['@4.1', '@4.2', '@4.3', '@5.1', '@5.2', '@5.3', '@8.1', '@8.3'],
    }, async ({ page }) => {
      await enter(page, `${product.url}/auth/login`, null);
      await refuses(page, 'Войти', { Почта: 'taken@romashka.test', Пароль: 'wrong horse' }, [
        ['Почта', '', EMPTY],
        ['Почта', 'taken@romashka', EMAIL],
        ['Пароль', '', EMPTY],
        ['Пароль', '1234567', EIGHT],
      ]);
      const submit = page.getByRole('main').getByRole('button', { name: 'Войти' });
      await busy(page, '**/api/auth/login', 'Войти', () => submit.click());
      await expect(page.getByRole('alert')).toHaveText('Неверная почта или пароль');
      await expect(submit).toBeEnabled();
      await field(page.getByRole('main'), 'Пароль').fill('correct horse');
      await submit.click();
      await expect(heading(page, 'Сайты')).toBeVisible();
      expect(new URL(page.url()).pathname).toBe('/dashboard/creator/domains');
      expect(await stored(page, 'access_token')).not.toBeNull();
    });

    test('the button of the password reset is disabled without an email', { tag: ['@2.5', '@5.8'] }, async ({
      page,
    }) => {
      await enter(page, `${product.url}/auth/reset`, null);
      const button = 'Отправить запрос';
      await refuses(page, button, { Почта: `nobody-${screen}@romashka.test` }, [['Почта', 'nobody', EMAIL]]);
      await page.getByRole('button', { name: button }).click();
      await expect(heading(page, 'Проверьте почту')).toBeVisible();
    });

    test('the registration form validates every field, and a registration opens the list of sites', {
      tag: [
        ...['@2.4', '@4.1', '@4.2', '@4.3', '@5.1', '@5.2', '@5.4', '@5.5', '@5.6', '@5.7'],
        ...['@8.1', '@8.2', '@8.3', '@8.5'],
      ],
    }, async ({ page, context }) => {
      const email = `new-${screen}@romashka.test`;
      await enter(page, `${product.url}/auth/register`, null);
      const main = page.getByRole('main');
      await refuses(
        page,
        'Зарегистрироваться',
        {
          Имя: 'Ян Ли',
          'Название компании': 'Пятый',
          'Сайт компании': 'a1.ru',
          Почта: 'taken@romashka.test',
          Пароль: 'correct horse',
          'Повторите пароль': 'correct house',
        },
        [
          ['Имя', '', EMPTY],
          ['Имя', 'Ян', 'Не короче 3 символов'],
          ['Название компании', '', EMPTY],
          ['Название компании', 'Четы', 'Не короче 5 символов: допишите форму, например ООО «Ян»'],
          ['Сайт компании', '', EMPTY],
          ['Сайт компании', 'a.ru', 'Не короче 5 символов: допишите начало, например https://t.me'],
          ['Почта', '', EMPTY],
          ['Почта', 'taken@', 'После @ нет имени сервера'],
          ['Пароль', '', EMPTY],
          ['Пароль', '1234567', EIGHT],
          ['Повторите пароль', '', EMPTY],
          ['Повторите пароль', '1234567', EIGHT],
        ],
      );
      const submit = main.getByRole('button', { name: 'Зарегистрироваться' });
      await main.getByRole('checkbox').uncheck();
      await expect(submit).toBeDisabled();
      await expect(main).toContainText('Без согласия зарегистрироваться нельзя');
      await main.getByRole('checkbox').check();
      const [rules] = await Promise.all([
        context.waitForEvent('page'),
        main.getByRole('link', { name: 'Правила обработки' }).click(),
      ]);
      await expect(heading(rules, 'Правила обработки персональных данных')).toBeVisible();
      await expect(rules.getByRole('main')).toContainText('Какие данные хранятся');
      await rules.close();

      const sent: unknown[] = [];
      page.on('request', (request) => {
        if (request.method() === 'POST') sent.push(request.postDataJSON());
      });
      await submit.click();
      const warning = page.getByRole('alert');
      await expect(warning).toHaveText('Ошибка проверки паролей');
      await expect(field(main, 'Повторите пароль')).toHaveAccessibleDescription(/Пароли не совпадают/);
      await expect(main.getByRole('button', { name: 'Показать или скрыть: Повторите пароль' })).toBeVisible();
      expect(sent).toEqual([]);

      await field(main, 'Повторите пароль').fill('correct horse');
      await busy(page, '**/api/auth/registration', 'Зарегистрироваться', () => submit.click());
      await expect(warning).toHaveText('Пользователь с такой почтой уже есть');
      await expect(field(main, 'Почта')).toHaveAccessibleDescription(/Эта почта уже занята/);
      await expect(field(main, 'Название компании')).toHaveValue('Пятый');
      await field(main, 'Почта').fill(email);
      await page.route('**/api/auth/registration', (route) => route.fulfill({ status: 502, body: '' }), {
        times: 1,
      });
      await submit.click();
      await expect(warning).toHaveText('Ошибка на стороне сервера');

      sent.length = 0;
      await submit.click();
      await expect(heading(page, 'Сайты')).toBeVisible();
      expect(new URL(page.url()).pathname).toBe('/dashboard/creator/domains');
      expect(sent).toEqual([
        {
          name: 'Пятый',
          ownerName: 'Ян Ли',
          companyName: 'Пятый',
          companySite: 'a1.ru',
          email,
          password: 'correct horse',
        },
      ]);
      const token = await stored(page, 'access_token');
      const user = await product.call(token, me);
      expect([user.name, user.email, user.roles]).toEqual(['Ян Ли', email, [{ value: 'CREATOR' }]]);
    });
  });
}
