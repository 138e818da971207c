import { expect } from '@playwright/test';
import {
  answering,
  answeringReload,
  charted,
  failing,
  fill,
  inOrder,
  loaded,
  press,
  rowDialog,
  type Scenario,
  type Steps,
  shows,
  states,
} from './scenario.ts';
import {
  contact,
  endedTariff,
  figures,
  plans,
  requests,
  serverState,
  storage,
  tariff,
  visits,
  company as wholeCompany,
} from './stubbed-replies.ts';

/** The screens of statistics, tariffs and plans, with replies that the demo's data does not have. */
const creator = '/dashboard/creator';
const admin = '/dashboard/admin';

/** Shows the page of plans with stubbed plans, requests and a contact, which the demo does not have. */
const plansShow = (then: Steps): Steps =>
  answering(
    '**/api/plans',
    plans,
    answering(
      '**/api/contact',
      contact,
      answeringReload(
        '**/api/tariff/requests?*',
        requests,
        inOrder((page) => expect(page.getByRole('button', { name: 'Ответить' })).toBeVisible(), then),
      ),
    ),
  );
/** The page of a company, as an ADMIN sees it. */
const companyShows = (then: Steps): Steps =>
  answering(
    '**/api/company/1',
    wholeCompany,
    answeringReload('**/api/company/1/tariff', tariff, inOrder(shows('Использование'), then)),
  );
const inADay = new Date(Date.now() + 86_400_000).toISOString();
/** The page of a company whose owner lets the support read its visits. */
const visitsShow = (then: Steps): Steps =>
  answering(
    '**/api/company/1/statistics',
    { ...figures, supportUntil: inADay },
    answering('**/api/company/1/visits', visits, companyShows(inOrder(shows('games.test'), then))),
  );
const concerned = { rows: [{ id: 1, name: 'Ромашка', beyond: ['people', 'sites'] }], count: 1 };
/** Opens a dialog with the keyboard, because hostile text lengthens names and can cover buttons. */
const enter =
  (name: RegExp): Steps =>
  async (page) => {
    await page.getByRole('main').getByRole('button', { name }).first().press('Enter');
    await expect(page.getByRole('dialog')).toBeVisible();
  };
/** Saves a lower limit of a plan that a company has. Hostile text makes the name too long to save. */
const lowerLimit: Steps = inOrder(
  rowDialog(/Команда/, 'Редактировать'),
  fill('Название', 'Команда'),
  fill('Пользователи', '5'),
  async (page) => {
    await page.getByRole('dialog').getByRole('button', { name: 'Сохранить' }).press('Enter');
    await shows('больше нового тарифа: пользователи, сайты')(page);
  },
);

export const tariffScenarios: { owner: Scenario[]; admin: Scenario[] } = {
  owner: [
    ...states('owner', `${creator}/statistics`, {
      statistics: loaded,
      'statistics-figures': answeringReload('**/api/statistics?*', figures, charted),
      'statistics-why': answeringReload('**/api/statistics?*', figures, async (page) => {
        await page
          .getByRole('button', { name: /^Проверить доступ/ })
          .first()
          .click();
        await expect(page.getByRole('dialog')).toBeVisible();
      }),
      'statistics-support': press('Показать поддержке'),
      'statistics-support-open': answeringReload(
        '**/api/visits/support',
        { until: inADay },
        shows('Закрыть доступ'),
      ),
      'statistics-failed': failing('**/api/statistics?*', shows('Статистика не загрузилась')),
    }),
    ...states('owner', `${creator}/statistics/now`, {
      'statistics-now': answeringReload('**/api/visits/live', visits, shows('otchet.romashka.test')),
    }),
    ...states('newcomer', `${creator}/statistics/now`, {
      'statistics-now-empty': shows('Сейчас никто не подключён'),
    }),
    ...states('newcomer', `${creator}/statistics/log`, {
      'statistics-log-empty': shows('Записей пока нет'),
    }),
    ...states('newcomer', `${creator}/statistics`, {
      'statistics-empty': shows('Посещений ещё не было'),
    }),
    ...states('owner', `${creator}/statistics/log`, {
      'statistics-log': answeringReload('**/api/visits', visits, shows('games.test')),
      'statistics-log-export-failed': inOrder(async (page) => {
        await page.route('**/api/visits/export', (route) => route.abort());
        await page.getByRole('button', { name: 'Скачать CSV' }).click();
      }, shows('Нет связи с сервером')),
      'statistics-log-detail': answeringReload('**/api/visits', visits, enter(/^games\.test/)),
    }),
    ...states('owner', `${creator}/statistics/storage`, {
      'statistics-storage-pending': answeringReload(
        '**/api/company/records',
        {
          ...storage,
          pending: { retentionDays: 7, keepNames: false, inForceAt: inADay, by: 'anna@romashka.test' },
        },
        shows('станет хранить меньше'),
      ),
      'statistics-storage-proof': answeringReload(
        '**/api/company/records',
        storage,
        inOrder(press('Изменить хранение'), async (page) => {
          await page.getByRole('dialog').getByRole('textbox', { name: 'Срок хранения' }).fill('30');
          await expect(page.getByRole('dialog')).toContainText('через 72 часа');
        }),
      ),
    }),
    ...states('owner', `${creator}/tariff`, {
      tariff: answeringReload('**/api/tariff', tariff, shows('Тарифы на выбор')),
      'tariff-ended': answeringReload('**/api/tariff', endedTariff, shows('Какие сайты')),
      'tariff-request': answeringReload(
        '**/api/tariff',
        { ...tariff, requests: [] },
        enter(/^Запросить тариф «Бизнес/),
      ),
      'tariff-withdraw': answeringReload('**/api/tariff', tariff, press('Отозвать')),
      'tariff-failed': failing('**/api/tariff', shows('Тариф не загрузился')),
    }),
  ],
  admin: [
    ...states('admin', `${admin}/plans`, {
      'admin-plans': plansShow(loaded),
      'admin-plans-default': loaded,
      'admin-plans-create': press('Добавить'),
      'admin-plans-edit': plansShow(rowDialog(/Бизнес/, 'Редактировать')),
      'admin-plans-concerned': answering('**/api/plans/2/companies', concerned, plansShow(lowerLimit)),
      'admin-plans-answer': plansShow(press('Ответить')),
      'admin-plans-refuse': plansShow(press('Отказать')),
      'admin-plans-contact': plansShow(press('Редактировать')),
    }),
    ...states('admin', `${admin}/companies/1`, {
      'admin-company': companyShows(shows('Сами посещения видит только владелец')),
      'admin-company-visits': visitsShow(loaded),
      'admin-company-plan': companyShows(press('Редактировать')),
      'admin-company-proxy': companyShows(press('Добавить платный прокси')),
    }),
    ...states('admin', `${admin}/state`, {
      'admin-state': answeringReload('**/api/state', serverState, shows('Взгляд снаружи')),
      'admin-state-failed': failing('**/api/state', shows('Не удалось проверить сервер')),
    }),
  ],
};
