import { type BrowserContext, expect, type Page, type Route } from '@playwright/test';
import { Token } from '@propusk/contract/auth';
import { screensOf, test } from '../support/console.ts';
import { linkTo, mailsTo } from '../support/mailbox.ts';
import { endProduct, type RunningProduct, startProduct } from '../support/product.ts';

/** Sign-in, the route guard, passwords, emails and their links, and page titles. On a desktop and a phone. */
interface Person {
  readonly email: string;
  password: string;
}

const admin: Person = { email: 'admin@propusk.test', password: 'open sesame' };
let product: RunningProduct;
let people = 0;

test.beforeAll(async () => {
  // Sign-in attempts are limited per IP address, so each test uses its own address.
  product = await startProduct(() => ({
    ADMIN_EMAIL: admin.email,
    ADMIN_PASSWORD: admin.password,
    TRUST_PROXY: '127.0.0.1',
    SMTP_URL: undefined,
  }));
});

test.afterAll(async () => {
  await endProduct(product);
});

let addresses = 0;
const freshAddress = () => ({ 'x-forwarded-for': `203.0.113.${++addresses}` });

test.beforeEach(async ({ context }) => {
  await context.setExtraHTTPHeaders(freshAddress());
  await context.addInitScript(() => localStorage.setItem('checkOnboarding', 'true'));
});

async function send(path: string, body: object, token?: string): Promise<Response> {
  return fetch(`${product.consoleUrl}/api${path}`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...freshAddress(),
      ...(token && { authorization: `Bearer ${token}` }),
    },
    body: JSON.stringify(body),
  });
}

async function tokenOf(answer: Response): Promise<string> {
  expect(answer.ok, `${answer.url}: ${answer.status}`).toBe(true);
  return Token.parse(await answer.json()).token;
}

/** Registers a new company. @returns its owner */
async function newOwner(): Promise<Person & { token: string }> {
  const email = `owner-${++people}@romashka.test`;
  const password = 'correct horse';
  const company = { name: 'Ромашка', companyName: 'ООО «Ромашка»', companySite: 'romashka.test' };
  const token = await tokenOf(await send('/auth/registration', { ...company, email, password }));
  return { email, password, token };
}

async function newAgent(): Promise<Person> {
  const { token } = await newOwner();
  const agent = { email: `agent-${people}@romashka.test`, password: 'battery staple' };
  expect((await send('/users/user-inner', agent, token)).status).toBe(201);
  return agent;
}

const signsIn = async ({ email, password }: Person) =>
  (await send('/auth/login', { email, password })).status;

async function fillLogin(page: Page, who: Person): Promise<void> {
  await page.getByRole('textbox', { name: 'Почта' }).fill(who.email);
  await page.getByLabel('Пароль', { exact: true }).fill(who.password);
  await page.getByRole('button', { name: 'Войти' }).click();
}

async function signIn(page: Page, who: Person, path: string, title: string): Promise<void> {
  await page.goto(product.consoleUrl + path);
  await expect(page).toHaveURL(/\/auth\/login$/);
  await fillLogin(page, who);
  await expect(page.getByRole('heading', { name: title, level: 1 })).toBeVisible();
  expect(new URL(page.url()).pathname).toBe(path.split('?')[0]);
}

const stored = (page: Page, key: string) => page.evaluate((name) => localStorage.getItem(name), key);
const warning = (page: Page) => page.getByRole('alert');
const heading = (page: Page, name: string) => page.getByRole('heading', { name, level: 1 });

/** Records every use of a mailed link's token outside the body of the call that redeems the token. */
function watchFor(context: BrowserContext, link: string): string[] {
  const secret = new URLSearchParams(new URL(link).hash.slice(1)).get('token') ?? '-';
  const leaks: string[] = [];
  context.on('request', (request) => {
    const own = /\/api\/auth\/(register|link)$/.test(request.url());
    const headers = JSON.stringify(request.headers());
    if (request.url().includes(secret) || headers.includes(secret)) leaks.push(request.url());
    if (!own && request.postData()?.includes(secret)) leaks.push(request.url());
  });
  return leaks;
}

for (const [size, viewport] of screensOf(import.meta.url)) {
  test.describe(size, () => {
    const { width } = viewport;
    test.use({ viewport });

    test("sign-in returns to the requested page, if the user's role may open the page", {
      tag: ['@4.1', '@4.9', '@4.14', '@6.7', '@8.6'],
    }, async ({ page }) => {
      const owner = await newOwner();
      await page.goto(`${product.consoleUrl}/dashboard/creator/users?page=1&name=owner`);
      await expect(page.getByText('Вы не вошли')).toBeVisible();
      const asked = Date.now();
      await expect(heading(page, 'Вход')).toBeVisible();
      expect(Date.now() - asked).toBeGreaterThan(500);
      await fillLogin(page, owner);
      await expect(heading(page, 'Пользователи')).toBeVisible();
      expect(new URL(page.url()).pathname).toBe('/dashboard/creator/users');
      expect(new URL(page.url()).searchParams.get('name')).toBe('owner');

      // The sign-in after an expired session returns to the requested page. The sign-in after a logout does
      // not.
      await page.evaluate(() => localStorage.setItem('access_token', 'dead'));
      await page.goto(`${product.consoleUrl}/dashboard/creator/company`);
      await expect(heading(page, 'Вход')).toBeVisible();
      expect(await stored(page, 'access_token')).toBeNull();
      await fillLogin(page, owner);
      await expect(heading(page, 'Компания')).toBeVisible();
      await page.getByRole('button', { name: 'Выйти' }).click();
      await page.getByRole('button', { name: 'Yes' }).click();
      await expect(heading(page, 'Вход')).toBeVisible();
      const agent = await newAgent();
      await fillLogin(page, agent);
      await expect(page).toHaveURL(/\/dashboard\/user\/domains$/);

      await page.evaluate(() => localStorage.clear());
      await page.goto(`${product.consoleUrl}/dashboard/creator/users`);
      await expect(heading(page, 'Вход')).toBeVisible();
      await fillLogin(page, agent);
      await expect(page).toHaveURL(/\/dashboard\/user\/domains$/);
    });

    test('a failed load of the user keeps the stored token when the URL has the query parameter hash', {
      tag: ['@4.10'],
    }, async ({ page }) => {
      await page.goto(`${product.consoleUrl}/help`);
      await page.evaluate(() => localStorage.setItem('access_token', 'dead'));
      await page.goto(`${product.consoleUrl}/dashboard/creator/company?hash=1`);
      await expect(page.getByText('Не удалось загрузить ваши данные')).toBeVisible();
      expect(await stored(page, 'access_token')).toBe('dead');
      await page.goto(`${product.consoleUrl}/dashboard/creator/company`);
      await expect(page).toHaveURL(/\/auth\/login$/);
      expect(await stored(page, 'access_token')).toBeNull();
    });

    test('the login form can be submitted before its validation code has loaded', async ({ page }) => {
      const owner = await newOwner();
      await page.goto(`${product.consoleUrl}/auth/login`);
      await page.waitForLoadState('networkidle');
      const held: Route[] = [];
      await page.route('**/assets/*', (route) => void held.push(route));
      const submit = page.getByRole('button', { name: 'Войти' });
      await page.getByRole('textbox', { name: 'Почта' }).fill('owner@romashka');
      await page.getByLabel('Пароль', { exact: true }).fill(owner.password);
      await expect.poll(() => held.length).toBeGreaterThan(0);
      await expect(submit).toBeDisabled();
      await page.getByRole('textbox', { name: 'Почта' }).fill(owner.email);
      await expect(submit).toBeEnabled();
      await page.getByLabel('Пароль', { exact: true }).fill('short');
      await expect(submit).toBeDisabled();
      await page.getByLabel('Пароль', { exact: true }).fill(owner.password);
      await submit.click();
      // Releases the held requests.
      await page.unroute('**/assets/*');
      await expect(heading(page, 'Сайты')).toBeVisible();
    });

    test('the login page works by keyboard and explains a failed sign-in', {
      tag: ['@2.2', '@2.3', '@8.1', '@8.2'],
    }, async ({ page }) => {
      const owner = await newOwner();
      await page.goto(`${product.consoleUrl}/auth/login`);
      await expect(page).toHaveTitle('Вход · Пропуск');
      const email = page.getByRole('textbox', { name: 'Почта' });
      const password = page.getByLabel('Пароль', { exact: true });
      await expect(email).toBeFocused();
      await expect(email).toHaveAttribute('autocomplete', 'username');
      await expect(password).toHaveAttribute('autocomplete', 'current-password');
      await page.keyboard.type(owner.email);
      await page.keyboard.press('Tab');
      await expect(password).toBeFocused();
      await page.keyboard.type('wrong horse');
      // Tab skips a disabled button, so wait until the form's validation has loaded and enables the button.
      const submit = page.getByRole('button', { name: 'Войти' });
      await expect(submit).toBeEnabled();
      await page.keyboard.press('Tab');
      await expect(submit).toBeFocused();
      await page.keyboard.press('Enter');
      await expect(warning(page)).toHaveText('Неверная почта или пароль');

      // Navigation to another auth page clears the error, and the first click on the link already
      // navigates.
      await page.getByRole('link', { name: 'Забыли пароль?' }).click();
      await expect(heading(page, 'Новый пароль')).toBeVisible();
      await page.getByRole('link', { name: 'Войти' }).click();
      await expect(heading(page, 'Вход')).toBeVisible();
      await expect(warning(page)).toHaveCount(0);
      await page.getByRole('link', { name: 'Зарегистрировать компанию' }).click();
      await expect(heading(page, 'Регистрация')).toBeVisible();
      await page.goBack();

      const busy = 'Слишком много попыток. Попробуйте снова через 15 минут';
      for (const [status, body, says] of [
        [429, JSON.stringify({ code: 'too_many_requests', message: busy }), busy],
        [502, '<html>Bad gateway</html>', 'Ошибка на стороне сервера'],
      ] as const) {
        await page.route('**/api/auth/login', (route) => route.fulfill({ status, body }), { times: 1 });
        await fillLogin(page, owner);
        await expect(warning(page)).toHaveText(says);
      }
      await fillLogin(page, owner);
      await expect(heading(page, 'Сайты')).toBeVisible();
    });

    test('a user resets a forgotten password through the mailed link', {
      tag: ['@2.6', '@2.7', '@4.11', '@4.12', '@8.4'],
    }, async ({ page, context }) => {
      const owner = await newOwner();
      await page.clock.install();
      await page.goto(`${product.consoleUrl}/auth/login`);
      await page.getByRole('link', { name: 'Забыли пароль?' }).click();
      await expect(page).toHaveTitle('Новый пароль · Пропуск');
      const email = page.getByRole('textbox', { name: 'Почта' });
      await expect(email).toBeFocused();
      const request = page.getByRole('button', { name: 'Отправить запрос' });
      await expect(request).toBeDisabled();
      // An untouched field shows no error; a field that was filled and emptied does.
      await email.press('Tab');
      await expect(email).not.toHaveAttribute('aria-invalid');
      await email.fill('irina');
      await email.fill('');
      await email.press('Tab');
      await expect(email).toHaveAccessibleDescription('Заполните это поле');

      // An email without an account gets the same reply, so the page does not reveal accounts.
      for (const address of ['nobody@romashka.test', owner.email]) {
        await email.fill(` ${address} `);
        await request.click();
        await expect(heading(page, 'Проверьте почту')).toBeVisible();
        expect(new URL(page.url()).pathname).toBe('/security/check-email');
        expect(await stored(page, 'request_password_email')).toBe(address);
        await expect(page.getByRole('main')).toContainText(`Если с этой почтой есть аккаунт`);
        await expect(page.getByRole('main')).toContainText(address);
        await expect(page.getByRole('main')).toContainText('10 минут');
        if (address !== owner.email) await page.getByRole('link', { name: 'Указать другую почту' }).click();
      }

      // The user can resend the mail only after a pause, and a reload does not shorten the pause.
      const resend = page.getByRole('button', { name: /^Отправить ещё раз/ });
      await expect(resend).toBeDisabled();
      await page.reload();
      await expect(resend).toBeDisabled();
      await page.clock.fastForward(61_000);
      await resend.click();
      await expect(page.getByRole('status')).toHaveText('Запрос отправлен ещё раз');
      await expect(resend).toBeDisabled();
      await page.clock.fastForward(61_000);
      const busy = 'Слишком много попыток. Попробуйте снова через 12 минут';
      await page.route(
        '**/api/auth/register',
        (route) => route.fulfill({ status: 429, json: { code: 'too_many_requests', message: busy } }),
        { times: 1 },
      );
      await resend.click();
      await expect(warning(page)).toHaveText(busy);
      expect(await mailsTo(product.dataDir, 'nobody@romashka.test')).toEqual([]);

      const [used, link] = [
        await linkTo(product.dataDir, owner.email, 1),
        await linkTo(product.dataDir, owner.email, 2),
      ];
      const leaks = watchFor(context, link);
      await page.goto(used);
      await expect(heading(page, 'Задайте новый пароль')).toBeVisible();
      // A second link in the same tab changes only the fragment, so the page does not reload.
      await page.goto(link);
      await expect(page).toHaveURL(`${product.consoleUrl}/security/login`);
      const password = page.getByLabel('Новый пароль', { exact: true });
      await expect(password).toBeFocused();
      await expect(password).toHaveAttribute('autocomplete', 'new-password');
      const save = page.getByRole('button', { name: 'Сохранить пароль' });
      await password.fill('another horse');
      await page.getByLabel(/^Повторите пароль/).fill('another house');
      await save.click();
      await expect(warning(page)).toHaveText('Ошибка проверки паролей');
      await page.getByLabel(/^Повторите пароль/).fill('another horse');
      await save.click();
      await expect(page.getByRole('status')).toHaveText('Пароль изменён. Войдите с новым паролем');
      await expect(page).toHaveURL(/\/auth\/login$/);
      expect(await stored(page, 'request_password_email')).toBeNull();
      await fillLogin(page, { ...owner, password: 'another horse' });
      await expect(heading(page, 'Сайты')).toBeVisible();
      expect(await signsIn(owner)).toBe(401);
      expect(leaks).toEqual([]);

      await page.goto(used);
      await expect(heading(page, 'Ссылка не действует')).toBeVisible();
      await expect(password).toHaveCount(0);
      await page.getByRole('link', { name: 'Запросить новую ссылку' }).click();
      await expect(heading(page, 'Новый пароль')).toBeVisible();
      // An invalid link leaves the current session untouched.
      expect(await stored(page, 'access_token')).not.toBeNull();
    });

    test('a page for a mailed link, opened without the link, tells the user to open the mail', {
      tag: ['@2.7'],
    }, async ({ page }) => {
      for (const fragment of ['', '#token=abc', '#for=password', '#token=abc&for=nothing']) {
        await page.goto('about:blank');
        await page.goto(`${product.consoleUrl}/security/login${fragment}`);
        await expect(heading(page, 'Нужна ссылка из письма')).toBeVisible();
        await expect(page).toHaveURL(/\/security\/login$/);
      }
      await page.getByRole('link', { name: 'Вернуться ко входу' }).click();
      await expect(heading(page, 'Вход')).toBeVisible();
      await page.goto(`${product.consoleUrl}/security/check-email`);
      await expect(heading(page, 'Новый пароль')).toBeVisible();
    });

    test('an owner changes the email by confirming the mailed link', { tag: ['@2.7', '@4.13'] }, async ({
      page,
      context,
    }) => {
      const owner = await newOwner();
      const other = await newOwner();
      const moved = `moved-${owner.email}`;
      await signIn(page, owner, '/dashboard/personal-data', 'Персональные данные');
      await page.getByRole('button', { name: 'Сменить почту' }).click();
      const email = page.getByRole('textbox', { name: 'Новая почта' });
      await expect(email).toBeFocused();
      await email.fill(other.email);
      const send = page.getByRole('button', { name: 'Отправить ссылку' });
      const password = page.getByRole('region', { name: 'Сменить почту' }).getByLabel(/^Текущий пароль/);
      await expect(send).toBeDisabled();
      await password.fill('wrong horse');
      await send.click();
      await expect(password).toHaveAccessibleDescription('Неверный пароль');
      await password.fill(owner.password);
      await send.click();
      await expect(warning(page)).toHaveText('Пользователь с такой почтой уже есть');
      await email.fill(moved);
      await send.click();
      await expect(page.getByText('её покажет команда propusk mail')).toBeVisible();
      await page.getByRole('button', { name: 'Закрыть', exact: true }).click();
      await expect(page.getByRole('button', { name: 'Сменить почту' })).toBeFocused();

      const link = await linkTo(product.dataDir, moved);
      const leaks = watchFor(context, link);
      await page.goto(link);
      await expect(page).toHaveURL(`${product.consoleUrl}/security/login`);
      await expect(heading(page, 'Подтвердите новую почту')).toBeVisible();
      // Opening the link does not confirm it: mail scanners open links.
      expect(await signsIn({ ...owner, email: moved })).toBe(401);
      await page.getByRole('button', { name: 'Подтвердить почту' }).click();
      await expect(page.getByRole('status')).toHaveText('Почта изменена. Войдите с новой почтой');
      expect(await stored(page, 'access_token')).toBeNull();
      expect(leaks).toEqual([]);
      await fillLogin(page, { ...owner, email: moved });
      await expect(heading(page, 'Сайты')).toBeVisible();

      await page.goto(link);
      await page.getByRole('button', { name: 'Подтвердить почту' }).click();
      await expect(heading(page, 'Ссылка не действует')).toBeVisible();
      await page.getByRole('link', { name: 'Открыть персональные данные' }).click();
      await expect(page.getByText(moved)).toBeVisible();
    });

    for (const [role, who, path] of [
      ['owner', newOwner, '/dashboard/personal-data'],
      ['agent', newAgent, '/dashboard/user/personal-data'],
      ['admin', async () => admin, '/dashboard/personal-data'],
    ] as const) {
      test(`an ${role} changes their own password`, { tag: ['@2.25'] }, async ({ page }) => {
        const person = await who();
        await signIn(page, person, path, 'Персональные данные');
        const current = page.getByLabel(/^Текущий пароль/);
        const password = page.getByLabel('Новый пароль', { exact: true });
        const repeat = page.getByLabel(/^Повторите новый пароль/);
        const save = page.getByRole('button', { name: 'Сменить пароль' });
        const changed = `${person.password}!`;
        await expect(save).toBeDisabled();
        await current.fill('wrong horse');
        await password.fill(changed);
        await repeat.fill(`${changed}!`);
        await save.click();
        await expect(warning(page)).toHaveText('Ошибка проверки паролей');
        await repeat.fill(changed);
        await save.click();
        await expect(page.getByText('Неверный пароль')).toBeVisible();
        await expect(current).toHaveAccessibleDescription(/Неверный пароль/);
        await current.fill(person.password);
        await save.click();
        await expect(page.getByText('Успешное обновление!')).toBeVisible();
        for (const field of [current, password, repeat]) await expect(field).toHaveValue('');
        await expect(save).toBeDisabled();
        await page.reload();
        await expect(heading(page, 'Персональные данные')).toBeVisible();
        expect(await signsIn(person)).toBe(401);
        person.password = changed;
        expect(await signsIn(person)).toBe(200);
      });
    }

    test('every auth page has its title, text and width', { tag: ['@2.1'] }, async ({ page }) => {
      for (const [path, title] of [
        ['/auth/login', 'Вход'],
        ['/auth/register', 'Регистрация'],
        ['/auth/reset', 'Новый пароль'],
        ['/auth/rules', 'Правила обработки персональных данных'],
        ['/security/login', 'Нужна ссылка из письма'],
        ['/help', 'База знаний'],
      ] as const) {
        await page.goto(product.consoleUrl + path);
        await expect(heading(page, title)).toBeVisible();
        await expect(page).toHaveTitle(`${title} · Пропуск`);
        const shown = await page.evaluate<number>('document.documentElement.scrollWidth');
        expect(shown, path).toBeLessThanOrEqual(width);
      }
      await page.getByRole('link', { name: 'Сайт не открывается' }).click();
      await expect(page.getByRole('heading', { name: 'Сайт не открывается' })).toBeInViewport();
      await page.goto(`${product.consoleUrl}/auth/login`);
      const field = await page.getByRole('textbox', { name: 'Почта' }).boundingBox();
      if (width > 1000) expect(field?.width).toBeGreaterThanOrEqual(600);
      else expect(field?.width).toBe(width - 32);
    });
  });
}
