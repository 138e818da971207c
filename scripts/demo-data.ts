import { type GatewayAccess, myAccess } from '@propusk/contract/access';
import { login, register } from '@propusk/contract/auth';
import { checkSite } from '@propusk/contract/lock';
import { createPolicy } from '@propusk/contract/policies';
import { createProxy, listProxies } from '@propusk/contract/proxies';
import { createSite } from '@propusk/contract/sites';
import { createUser } from '@propusk/contract/users';
import { type Call, caller } from './call.ts';

export const PASSWORD = 'propusk-demo';
export const admin = 'admin@propusk.test';

/** The sites that Apache really serves. */
export const demoSites = [
  { name: 'crm.romashka.test', title: 'Клиенты «Ромашки»' },
  { name: 'wiki.romashka.test', title: 'Знания «Ромашки»' },
  { name: '1c.vasilek.test', title: '1С «Василька»' },
];

interface DemoCompany {
  owner: { name: string; email: string };
  company: { companyName: string; companySite: string };
  proxy: { host: string; port: number; username: string };
  /** By name: through the own proxy or the gateway itself. */
  policies: { name: string; description: string; own?: boolean }[];
  /** Names without a port are for the eye only. */
  sites: [address: string, ...policies: string[]][];
  people: [name: string, surname: string, ...policies: string[]][];
}

const companies: DemoCompany[] = [
  {
    owner: { name: 'Ирина Соколова', email: 'irina@romashka.test' },
    company: { companyName: 'ООО «Ромашка»', companySite: 'romashka.test' },
    proxy: { host: 'proxy.romashka.test', port: 8080, username: 'romashka' },
    policies: [
      { name: 'Продажи', description: 'CRM и внутренняя база знаний для отдела продаж и их руководителей' },
      { name: 'Бухгалтерия', description: '1С и отчётность' },
      {
        name: 'Разработка',
        description: 'Админки сайта, Git и мониторинг через собственный прокси',
        own: true,
      },
      { name: 'Все сотрудники', description: '' },
    ],
    sites: [
      ['crm.romashka.test', 'Продажи'],
      ['wiki.romashka.test', 'Все сотрудники', 'Разработка'],
      ['1c.romashka.test', 'Бухгалтерия'],
      ['otchet.romashka.test', 'Бухгалтерия'],
      ['admin.romashka.test', 'Разработка'],
      ['git.romashka.test', 'Разработка'],
      ['*.stage.romashka.test', 'Разработка'],
      ['почта.ромашка.рф', 'Все сотрудники'],
      ['grafana.romashka.test:3000', 'Разработка'],
      ['kadry.romashka.test', 'Бухгалтерия', 'Все сотрудники'],
      ['sklad.romashka.test'],
    ],
    people: [
      ['Пётр', 'Орлов', 'Продажи', 'Все сотрудники'],
      ['Мария', 'Кузнецова', 'Продажи', 'Все сотрудники'],
      ['Алексей', 'Лебедев', 'Продажи', 'Все сотрудники'],
      ['Екатерина', 'Новикова', 'Бухгалтерия', 'Все сотрудники'],
      ['Дмитрий', 'Козлов', 'Разработка', 'Все сотрудники'],
      ['Анна', 'Морозова', 'Разработка', 'Все сотрудники'],
      ['Сергей', 'Волков', 'Разработка', 'Все сотрудники'],
      ['Ольга', 'Павлова', 'Бухгалтерия', 'Все сотрудники'],
      ['Никита', 'Фёдоров', 'Продажи', 'Все сотрудники'],
      ['Юлия', 'Ёлкина', 'Все сотрудники'],
      ['Артём', 'Зайцев', 'Все сотрудники'],
      ['Виктория', 'Соловьёва', 'Все сотрудники'],
      ['Павел', 'Беляев', 'Разработка', 'Все сотрудники'],
      ['Татьяна', 'Комарова', 'Все сотрудники'],
      ['Глеб', 'Тихонов'],
    ],
  },
  {
    owner: { name: 'Борис Громов', email: 'boris@vasilek.test' },
    company: { companyName: 'АО «Василёк»', companySite: 'vasilek.test' },
    proxy: { host: 'out.vasilek.test', port: 3128, username: 'vasilek' },
    policies: [
      { name: 'Склад и учёт', description: '1С для склада' },
      { name: 'Подрядчики', description: 'Временный доступ к витрине', own: true },
    ],
    sites: [
      ['1c.vasilek.test', 'Склад и учёт'],
      ['shop.vasilek.test', 'Подрядчики'],
    ],
    people: [
      ['Роман', 'Гусев', 'Склад и учёт'],
      ['Ксения', 'Крылова', 'Склад и учёт'],
      ['Илья', 'Макаров', 'Подрядчики'],
      ['Софья', 'Захарова', 'Склад и учёт'],
      ['Максим', 'Филиппов', 'Подрядчики'],
      ['Дарья', 'Миронова', 'Склад и учёт'],
      ['Кирилл', 'Власов', 'Склад и учёт'],
      ['Полина', 'Денисова'],
    ],
  },
];

/**
 * Fills a fresh product with two companies of 25 people in all, through its own calls.
 * @param sitePort where Apache serves the `demoSites`
 * @throws Error with the call and the answer when the product refuses one
 */
export async function fillDemo(
  consoleUrl: string,
  sitePort: number,
): Promise<{ owners: string[]; agent: string; access: GatewayAccess }> {
  const call = caller(() => consoleUrl);
  for (const demo of companies) await fillCompany(call, demo, sitePort);
  const agent = emailOf('Пётр', 'Орлов', 'romashka.test');
  const { token } = await call(null, login, { body: { email: agent, password: PASSWORD } });
  return { owners: companies.map(({ owner }) => owner.email), agent, access: await call(token, myAccess) };
}

async function fillCompany(call: Call, demo: DemoCompany, sitePort: number): Promise<void> {
  const { companyName, companySite } = demo.company;
  const { token } = await call(null, register, {
    body: {
      ...demo.company,
      name: companyName,
      ownerName: demo.owner.name,
      email: demo.owner.email,
      password: PASSWORD,
    },
  });
  const own = await call(token, createProxy, { body: { ...demo.proxy, password: PASSWORD } });
  const gateway = (await call(token, listProxies)).rows.find(({ direct }) => direct);
  if (gateway === undefined) throw new Error('the gateway is not among the proxies');
  const policies = new Map<string, number>();
  for (const { name, description, own: throughOwn } of demo.policies) {
    const proxyId = throughOwn ? own.id : gateway.id;
    policies.set(name, (await call(token, createPolicy, { body: { name, description, proxyId } })).id);
  }
  const ids = (names: string[]) => names.map((name) => policies.get(name) ?? 0);
  for (const [address, ...names] of demo.sites) {
    const served = demoSites.some(({ name }) => name === address);
    const { id } = await call(token, createSite, {
      body: { address: served ? `${address}:${sitePort}` : address, politics: ids(names) },
    });
    if (served) await call(token, checkSite, { params: { id } });
  }
  for (const [name, surname, ...names] of demo.people) {
    const email = emailOf(name, surname, companySite);
    await call(token, createUser, {
      body: { name, surname, email, password: PASSWORD, politics: ids(names) },
    });
  }
}

const latin: Record<string, string> = Object.fromEntries(
  'а a,б b,в v,г g,д d,е e,ё e,ж zh,з z,и i,й y,к k,л l,м m,н n,о o,п p,р r,с s,т t,у u,ф f,х h,ц c,ч ch,ш sh,щ sch,ъ ,ы y,ь ,э e,ю yu,я ya'
    .split(',')
    .map((pair) => pair.split(' ') as [string, string]),
);
function emailOf(name: string, surname: string, domain: string): string {
  const spell = (text: string) => text.toLowerCase().replace(/./g, (letter) => latin[letter] ?? letter);
  return `${spell(name)}.${spell(surname)}@${domain}`;
}
