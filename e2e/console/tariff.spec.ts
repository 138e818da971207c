import { expect, type Page, type Route, test } from '@playwright/test';
import { sayState } from '@propusk/phrases/state';
import { type Replies, STUBBED, stubConsole } from '../support/stubbed-console.ts';
import {
  admin,
  company,
  contact,
  evidence,
  invitations,
  owner,
  plans,
  requests,
  tariff,
} from '../support/stubbed-replies.ts';

/** The tariff page, the plans and a company's page, on stubbed replies. */

const ofOwner: Replies = {
  'GET /me': owner,
  'GET /company/evidence': evidence,
  'GET /tariff': tariff,
  'GET /proxy': { rows: [], count: 0 },
};
const ofAdmin: Replies = {
  'GET /me': admin,
  'GET /plans': plans,
  'GET /tariff/requests': requests,
  'GET /contact': contact,
  'GET /company/1': company,
  'GET /company/1/tariff': tariff,
};
const tariffPage = '/dashboard/creator/tariff';
const failed = {
  status: 500,
  json: { statusCode: 500, code: 'internal', message: 'Сервер не смог ответить' },
};

async function open(page: Page, path: string, replies: Replies): Promise<void> {
  await stubConsole(page, replies);
  await page.goto(STUBBED + path);
}
const dialogOf = (page: Page) => page.getByRole('dialog');
const bodyOf = (route: Route): unknown => route.request().postDataJSON();
const versionOf = (route: Route) => route.request().headers()['if-match'];
const stale = {
  status: 412,
  json: { statusCode: 412, code: 'changed_meanwhile', message: 'Запись изменили' },
};

test('the tariff page shows the current plan and its usage, and marks the offers that are too small', async ({
  page,
}) => {
  await open(page, tariffPage, ofOwner);
  const summary = page.getByRole('region', { name: 'Действует сейчас' });
  await expect(summary).toContainText(/Команда\s*1.490.₽ в месяц/);
  await expect(summary).toContainText('12 из 50');
  await expect(summary).toContainText('20 из 20');
  const small = page.getByRole('listitem').filter({ has: page.getByRole('heading', { name: 'Старт' }) });
  await expect(small).toContainText('10 пользователей (у вас 12)');
  await expect(small).toContainText('5 сайтов (у вас 20)');
  await expect(page.getByRole('button', { name: 'Ваш тариф' })).toBeDisabled();
  for (const [name, href] of [
    ['+7 916 123-45-67', 'tel:+79161234567'],
    ['sales@propusk.test', 'mailto:sales@propusk.test'],
    ['@propusk_sales', 'https://t.me/propusk_sales'],
  ] as const)
    await expect(page.getByRole('link', { name })).toHaveAttribute('href', href);
});

test('usage bars exist only for resources that the plan limits', async ({ page }) => {
  await open(page, tariffPage, { ...ofOwner, 'GET /tariff': { ...tariff, plan: plans.rows[2] } });
  const summary = page.getByRole('region', { name: 'Действует сейчас' });
  await expect(summary).toContainText('12, без ограничения');
  await expect(summary.getByRole('progressbar')).toHaveCount(1);
});

test('the message of a tariff request survives a server failure, and the next try sends the message', async ({
  page,
}) => {
  const sent: unknown[] = [];
  await open(page, tariffPage, {
    ...ofOwner,
    'GET /tariff': { ...tariff, requests: [] },
    'POST /tariff/requests': (route) => {
      sent.push(bodyOf(route));
      return route.fulfill(sent.length === 1 ? failed : { status: 201, json: requests.rows[0] ?? {} });
    },
  });
  await page.getByRole('button', { name: 'Запросить тариф «Бизнес»' }).click();
  const words = dialogOf(page).getByRole('textbox', { name: 'Сообщение менеджеру' });
  await words.fill('Нужно 12 прокси');
  await dialogOf(page).getByRole('button', { name: 'Отправить запрос' }).click();
  await expect(dialogOf(page).getByRole('alert')).toBeVisible();
  await expect(words).toHaveValue('Нужно 12 прокси');
  await dialogOf(page).getByRole('button', { name: 'Отправить запрос' }).click();
  await expect(dialogOf(page)).toHaveCount(0);
  await expect(page.getByText('Запрос отправлен')).toBeVisible();
  const body = { kind: 'plan', planId: 3, text: 'Нужно 12 прокси' };
  expect(sent).toEqual([body, body]);
});

test('while a request for a plan is open, no plan can be requested, and the page says why', async ({
  page,
}) => {
  await open(page, tariffPage, ofOwner);
  const request = page.getByRole('button', { name: 'Запросить тариф «Бизнес»' });
  await expect(request).toBeDisabled();
  await expect(request).toHaveAccessibleDescription(/Такой запрос уже отправлен и ждёт ответа/);
});

test('the paid proxy dialog has no form while a request for one is open', async ({ page }) => {
  const asked = { ...tariff, requests: [{ ...requests.rows[1], state: 'open' }] };
  await open(page, '/dashboard/creator/proxies', { ...ofOwner, 'GET /tariff': asked });
  await page.getByRole('button', { name: 'Добавить Платный' }).click();
  await expect(dialogOf(page)).toContainText('Такой запрос уже отправлен');
  await expect(dialogOf(page).getByRole('textbox')).toHaveCount(0);
  await expect(dialogOf(page).getByRole('button', { name: 'Отправить запрос' })).toBeDisabled();
});

for (const [where, path] of [
  ['the tariff page', tariffPage],
  ['the empty list of proxies', '/dashboard/creator/proxies'],
] as const)
  test(`the button on ${where} explains the trial, and starts the trial after a confirmation`, async ({
    page,
  }) => {
    let started = 0;
    await open(page, path, {
      ...ofOwner,
      'POST /tariff/trial': (route) => {
        started++;
        const ends = { trialRuns: true, trialOffered: false, trialEndsAt: '2027-02-14T09:00:00.000Z' };
        return route.fulfill({ json: { ...tariff, ...ends } });
      },
    });
    const trial = page.getByRole('button', { name: 'Попробовать 30 дней' });
    await trial.click();
    await expect(dialogOf(page)).toContainText('тариф «Знакомство»');
    await expect(dialogOf(page)).toContainText(
      '100 пользователей, 50 сайтов, 10 своих прокси, платные прокси',
    );
    await dialogOf(page).getByRole('button', { name: 'Отмена' }).click();
    await expect(trial).toBeFocused();
    expect(started).toBe(0);
    await trial.click();
    await dialogOf(page).getByRole('button', { name: 'Начать' }).dblclick();
    await expect(page.getByText('Пробный период начался')).toBeVisible();
    expect(started).toBe(1);
  });

test('the tariff page offers no trial unless the trial exceeds the current plan', async ({ page }) => {
  await open(page, tariffPage, { ...ofOwner, 'GET /tariff': { ...tariff, plan: plans.rows[2] } });
  await expect(page.getByRole('heading', { name: 'Тарифы на выбор' })).toBeVisible();
  await expect(page.getByRole('button', { name: 'Попробовать 30 дней' })).toHaveCount(0);
});

test("when no trial is available, the button in the empty list of proxies shows the manager's contact", async ({
  page,
}) => {
  const used = { ...tariff, trialOffered: false };
  await open(page, '/dashboard/creator/proxies', { ...ofOwner, 'GET /tariff': used });
  await page.getByRole('button', { name: 'Попробовать 30 дней' }).click();
  await expect(dialogOf(page)).toContainText('обратитесь к менеджеру компании');
  await expect(dialogOf(page).getByRole('link', { name: '@propusk_sales' })).toBeVisible();
});

test('an owner withdraws an open tariff request after a confirmation', async ({ page }) => {
  let withdrawn = 0;
  await open(page, tariffPage, {
    ...ofOwner,
    'DELETE /tariff/requests/3': (route) => {
      withdrawn++;
      return route.fulfill({ status: 204 });
    },
  });
  await page.getByRole('button', { name: 'Отозвать' }).click();
  expect(withdrawn).toBe(0);
  await dialogOf(page).getByRole('button', { name: 'Отозвать' }).click();
  await expect(page.getByText('Запрос отозван')).toBeVisible();
  expect(withdrawn).toBe(1);
});

test('every page warns the owner when the trial is about to end, and links to the tariff page', async ({
  page,
}) => {
  const ending = { what: 'trial', at: '2027-02-14T09:00:00.000Z' };
  const warned = { ...owner, company: { ...owner.company, ending } };
  await open(page, '/dashboard/creator/proxies', { ...ofOwner, 'GET /me': warned });
  const band = page.getByRole('region', { name: 'Окончание тарифа' });
  await expect(band).toContainText('Пробный период закончится 14.02.2027');
  await band.getByRole('link', { name: 'К тарифу' }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'Тариф' })).toBeVisible();
});

test('the navigation has no tariff page where the platform has only the standard plan', async ({ page }) => {
  const alone = { ...owner, company: { ...owner.company, hasTariff: false } };
  await open(page, tariffPage, { ...ofOwner, 'GET /me': alone });
  const links = page.getByRole('navigation', { name: 'Разделы' }).getByRole('link');
  await expect(links.filter({ hasText: 'Компания' })).toHaveCount(1);
  await expect(links.filter({ hasText: 'Тариф' })).toHaveCount(0);
});

test('the first Save of a plan in use lists the affected companies, and the second Save saves the plan', async ({
  page,
}) => {
  const saved: unknown[] = [];
  await open(page, '/dashboard/admin/plans', {
    ...ofAdmin,
    'POST /plans/3/companies': {
      rows: [{ id: 1, name: 'ООО «Ромашка»', beyond: ['people', 'paidProxies'] }],
      count: 1,
    },
    'PUT /plans/3': (route) => {
      saved.push({ ...(bodyOf(route) as object), version: route.request().headers()['if-match'] });
      return route.fulfill({ json: plans.rows[2] ?? {} });
    },
  });
  await page
    .getByRole('row', { name: /Бизнес/ })
    .getByRole('button', { name: 'Бизнес', exact: true })
    .click();
  await expect(dialogOf(page).getByRole('textbox', { name: 'Цена в месяц' })).toHaveValue('4990,50');
  await dialogOf(page).getByRole('textbox', { name: 'Цена в месяц' }).fill('5 100,5');
  await dialogOf(page).getByRole('textbox', { name: 'Пользователи' }).fill('10');
  await dialogOf(page).getByRole('button', { name: 'Сохранить' }).click();
  await expect(dialogOf(page)).toContainText(
    'ООО «Ромашка»: больше нового тарифа: пользователи, платные прокси',
  );
  expect(saved).toEqual([]);
  await dialogOf(page).getByRole('button', { name: 'Сохранить для 1 компании' }).click();
  await expect(dialogOf(page)).toHaveCount(0);
  const flags = { paidProxies: true, allSites: true, offered: true, trial: false };
  const price = { amount: 510_050, currency: 'RUB' };
  expect(saved).toEqual([{ name: 'Бизнес', price, people: 10, proxies: 20, ...flags, version: '"1"' }]);
});

test("after a trial has ended, an edit of the company's plan sends only the plan", async ({ page }) => {
  let sent: unknown;
  const ended = { ...tariff, planEndsAt: null, trialEndsAt: '2026-01-01T00:00:00.000Z' };
  await open(page, '/dashboard/admin/companies/1', {
    ...ofAdmin,
    'GET /company/1/tariff': ended,
    'PUT /company/1/tariff': (route) => {
      sent = [bodyOf(route), versionOf(route)];
      return route.fulfill({ json: ended });
    },
  });
  await page.getByRole('button', { name: 'Редактировать' }).click();
  await dialogOf(page).getByRole('combobox', { name: 'Назначенный тариф' }).click();
  await page.getByRole('option', { name: 'Бизнес' }).click();
  await dialogOf(page).getByRole('button', { name: 'Сохранить' }).click();
  await expect(dialogOf(page)).toHaveCount(0);
  expect(sent).toEqual([{ planId: 3 }, '"1"']);
});

test('ending a trial is refused when another admin changed the plan meanwhile, and a retry keeps the new plan', async ({
  page,
}) => {
  const sent: unknown[] = [];
  const now = { ...tariff, planEndsAt: null, trialRuns: true, trialEndsAt: '2099-01-01T00:00:00.000Z' };
  const changed = { ...now, ownPlan: { id: 3, name: 'Бизнес' }, version: 2 };
  await open(page, '/dashboard/admin/companies/1', {
    ...ofAdmin,
    'GET /company/1/tariff': (route) => route.fulfill({ json: sent.length === 0 ? now : changed }),
    'PUT /company/1/tariff': (route) => {
      sent.push([(bodyOf(route) as { planId: number }).planId, versionOf(route)]);
      return sent.length === 1 ? route.fulfill(stale) : route.fulfill({ json: changed });
    },
  });
  await page.getByRole('button', { name: 'Закончить сейчас' }).click();
  const yes = dialogOf(page).getByRole('button', { name: 'Закончить сейчас' });
  await yes.click();
  await expect(dialogOf(page)).toContainText('Запись изменили');
  await expect(page.getByText('Бизнес', { exact: true })).toBeVisible();
  await yes.click();
  await expect(dialogOf(page)).toHaveCount(0);
  expect(sent).toEqual([
    [2, '"1"'],
    [3, '"2"'],
  ]);
});

test('after a conflict, the contact form and the phone form load the new version and can save the typed values', async ({
  page,
}) => {
  const sent: unknown[] = [];
  const put = (route: Route) => {
    sent.push([bodyOf(route), versionOf(route)]);
    return sent.length % 2 === 1 ? route.fulfill(stale) : route.fulfill({ json: {} });
  };
  const versioned = (reply: object) => (route: Route) =>
    route.fulfill({ json: { ...reply, version: sent.length + 1 } });
  const edit = async (label: string, value: string) => {
    await page.getByRole('button', { name: 'Редактировать' }).click();
    await dialogOf(page).getByRole('textbox', { name: label }).fill(value);
    await dialogOf(page).getByRole('button', { name: 'Сохранить' }).click();
    await dialogOf(page)
      .getByRole('button', { name: /Загрузить/ })
      .click();
    await dialogOf(page).getByRole('button', { name: 'Сохранить' }).click();
    await expect(dialogOf(page)).toHaveCount(0);
  };
  const replies = { 'GET /contact': versioned(contact), 'PUT /contact': put };
  await open(page, '/dashboard/admin/plans', { ...ofAdmin, ...replies });
  await edit('Имя', 'Анна');
  await open(page, tariffPage, { ...ofOwner, 'GET /tariff': versioned(tariff), 'PUT /tariff/phone': put });
  await edit('Телефон', '+79161234567');
  const { version: _, ...stored } = contact;
  expect(sent).toEqual([
    [{ ...stored, name: 'Анна' }, '"1"'],
    [{ ...stored, name: 'Анна' }, '"2"'],
    [{ phone: '+79161234567' }, '"3"'],
    [{ phone: '+79161234567' }, '"4"'],
  ]);
});

/** Opens the ADMIN's list of requests. @returns the bodies of the answers that the console sends */
async function openRequests(page: Page): Promise<unknown[]> {
  const answers: unknown[] = [];
  await open(page, '/dashboard/admin/plans', {
    ...ofAdmin,
    'PUT /tariff/requests/3': (route) => {
      answers.push(bodyOf(route));
      return route.fulfill({ json: requests.rows[0] ?? {} });
    },
  });
  return answers;
}

test('an admin cannot refuse a request without a reason', async ({ page }) => {
  const answers = await openRequests(page);
  await page.getByRole('button', { name: 'Отказать' }).click();
  const refuse = dialogOf(page).getByRole('button', { name: 'Отказать' });
  await expect(refuse).toBeDisabled();
  await dialogOf(page).getByRole('textbox', { name: 'Причина отказа' }).fill('Нет свободных адресов');
  await refuse.click();
  await expect(dialogOf(page)).toHaveCount(0);
  expect(answers).toEqual([{ state: 'refused', reply: 'Нет свободных адресов' }]);
});

test('an answer to a tariff request sets the requested plan, with an optional last day, or no plan', async ({
  page,
}) => {
  const answers = await openRequests(page);
  const answer = async (fill?: () => Promise<void>) => {
    await page.getByRole('button', { name: 'Ответить' }).click();
    await fill?.();
    await dialogOf(page).getByRole('button', { name: 'Ответить' }).click();
    await expect(dialogOf(page)).toHaveCount(0);
  };
  await answer();
  await answer(() => dialogOf(page).getByRole('textbox', { name: 'Тариф действует по' }).fill('31.12.2027'));
  await answer(async () => {
    await dialogOf(page).getByRole('combobox', { name: 'Назначить тариф' }).click();
    await page.getByRole('option', { name: 'Бизнес' }).click();
    const plan = dialogOf(page).getByRole('combobox', { name: 'Назначить тариф' });
    await expect(plan).toHaveValue('');
    await expect(plan).toHaveAttribute('placeholder', 'Не менять');
  });
  const planEndsAt = await page.evaluate(() => new Date('2027-12-31T23:59:59').toISOString());
  const body = { state: 'answered', reply: '' };
  expect(answers).toEqual([{ ...body, planId: 3 }, { ...body, planId: 3, planEndsAt }, body]);
});

test("the admin's navigation shows the number of open tariff requests", async ({ page }) => {
  let count = 1;
  await open(page, '/dashboard/admin/plans', {
    ...ofAdmin,
    'GET /tariff/requests': (route) => route.fulfill({ json: { rows: requests.rows.slice(0, 1), count } }),
    'PUT /tariff/requests/3': (route) => {
      count = 0;
      return route.fulfill({ json: requests.rows[0] ?? {} });
    },
  });
  const link = page.getByRole('navigation', { name: 'Разделы' }).getByRole('link', { name: 'Тарифы' });
  await expect(link).toHaveAccessibleName(/ждут ответа: 1/);
  await page.getByRole('button', { name: 'Ответить' }).click();
  await dialogOf(page).getByRole('button', { name: 'Ответить' }).click();
  await expect(link).toHaveAccessibleName('Тарифы');
});

test('the lists of a company link to its users and proxies, and a long list is expanded', async ({
  page,
}) => {
  const users = Array.from({ length: 9 }, (_, at) => ({
    ...{ id: at + 1, name: 'Анна', surname: `Орлова ${at}`, email: `user${at}@romashka.test` },
  }));
  await open(page, '/dashboard/admin/companies/1', { ...ofAdmin, 'GET /company/1': { ...company, users } });
  const list = page.getByRole('list', { name: 'Пользователи' });
  await expect(list.getByRole('link')).toHaveCount(6);
  await list.getByRole('button', { name: 'Показать ещё 3' }).click();
  await expect(list.getByRole('link', { name: 'Анна Орлова 8' })).toHaveAttribute(
    'href',
    '/dashboard/admin/users/9/edit',
  );
  await expect(page.getByRole('link', { name: 'proxy.romashka.test:3128' })).toHaveAttribute(
    'href',
    '/dashboard/admin/proxies/7/edit',
  );
  await expect(page.getByRole('link', { name: 'crm.romashka.test' })).toHaveAttribute(
    'href',
    'https://crm.romashka.test/',
  );
});

test('the advice about proxies on the state page links to the list of proxies', async ({ page }) => {
  const found = { code: 'egress_unknown', params: { proxies: ['proxy.romashka.test'] } } as const;
  const finding = { code: found.code, level: 'warning', ...sayState(found) };
  await open(page, '/dashboard/admin/state', {
    ...ofAdmin,
    'GET /state': { version: '0.2.0', findings: [finding] },
  });
  await expect(page.getByRole('link', { name: /в разделе «Прокси-серверы»/ })).toHaveAttribute(
    'href',
    '/dashboard/admin/proxies',
  );
});

test('the invitations page has an invite dialog', async ({ page }) => {
  await open(page, '/dashboard/admin/invitations', { ...ofAdmin, 'GET /company/invitations': invitations });
  await page.getByRole('button', { name: 'Пригласить компанию' }).click();
  await expect(dialogOf(page).getByRole('textbox', { name: 'Почта' })).toBeEditable();
});

test("a link to a company opens the company's page once, and Back returns to the list", async ({ page }) => {
  await open(page, '/dashboard/admin/companies', {
    ...ofAdmin,
    'GET /company': (route) => route.fulfill({ json: [company], headers: { 'x-total-count': '1' } }),
  });
  await page.getByRole('link', { name: /Ромашка/ }).click();
  await expect(page).toHaveURL(/companies\/1$/);
  await expect(page.getByRole('list', { name: 'Пользователи' })).toBeVisible();
  await page.goBack();
  await expect(page.getByRole('link', { name: /Ромашка/ })).toHaveAttribute(
    'href',
    '/dashboard/admin/companies/1',
  );
  await expect(page).toHaveURL(/companies$/);
});

test('the company filter stays in the URL, survives a pending search, and returns to the first page', async ({
  page,
}) => {
  const asked: string[] = [];
  await open(page, '/dashboard/admin/companies?page=3', {
    ...ofAdmin,
    'GET /company': (route) => {
      asked.push(new URL(route.request().url()).search);
      return route.fulfill({ json: [company], headers: { 'x-total-count': '25' } });
    },
  });
  const chip = page.getByRole('button', { name: 'Убрать фильтр: Почта не подтверждена' });
  await page.getByRole('searchbox').fill('ромашка');
  await page.getByRole('button', { name: 'Фильтр', exact: true }).click();
  await page.getByRole('menuitemradio', { name: 'Почта не подтверждена' }).click();
  await expect(page).toHaveURL(/confirmed=false/);
  await expect(page).toHaveURL(/name=/);
  expect(page.url()).toMatch(/confirmed=false/);
  expect(page.url()).not.toMatch(/page=/);
  await expect.poll(() => asked.at(-1)).toMatch(/confirmed=false/);
  await page.reload();
  await chip.click();
  await expect(page).not.toHaveURL(/confirmed/);
  await expect(chip).toHaveCount(0);
});

test("an admin sets a company's plan until the end of a day, and adds a paid proxy", async ({ page }) => {
  const sent: Record<string, unknown> = {};
  await open(page, '/dashboard/admin/companies/1', {
    ...ofAdmin,
    'PUT /company/1/tariff': (route) => {
      sent.tariff = bodyOf(route);
      return route.fulfill({ json: tariff });
    },
    'POST /proxy/admin': (route) => {
      sent.proxy = bodyOf(route);
      return route.fulfill({ status: 201, json: { id: 9, host: 'paid.test', port: '3128' } });
    },
  });
  await expect(page.getByRole('list', { name: 'Пользователи' })).toContainText('Анна Орлова');
  await page.getByRole('button', { name: 'Редактировать' }).click();
  const end = dialogOf(page).getByRole('textbox', { name: 'Тариф действует по' });
  const save = dialogOf(page).getByRole('button', { name: 'Сохранить' });
  await end.fill('31.12.2027');
  await expect(save).toBeEnabled();
  // A date that does not exist is refused, not replaced by another date.
  await end.fill('31.02.2027');
  await expect(dialogOf(page)).toContainText('Такого дня нет');
  await expect(save).toBeDisabled();
  await end.fill('1.2.2');
  await expect(end).toHaveValue('1.2.2');
  await expect(save).toBeDisabled();
  await end.fill('31.12.2027');
  await save.click();
  await expect(dialogOf(page)).toHaveCount(0);
  const planEndsAt = await page.evaluate(() => new Date('2027-12-31T23:59:59').toISOString());
  expect(sent.tariff).toEqual({ planId: 2, planEndsAt });

  await page.getByRole('button', { name: 'Добавить платный прокси' }).click();
  for (const [name, value] of [
    ['Хост', 'paid.test'],
    ['Порт', '3128'],
    ['Логин', 'paid'],
  ] as const)
    await dialogOf(page).getByRole('textbox', { name }).fill(value);
  await dialogOf(page)
    .getByLabel(/^Пароль/)
    .fill('open sesame');
  await dialogOf(page).getByRole('button', { name: 'Сохранить' }).click();
  await expect(dialogOf(page)).toHaveCount(0);
  const proxy = { host: 'paid.test', port: 3128, username: 'paid', password: 'open sesame', allSites: false };
  expect(sent.proxy).toEqual({ ...proxy, companyId: 1 });
});
