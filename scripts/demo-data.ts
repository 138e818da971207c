import type { LockedSite } from './locked-site.ts';

/** The data of `npm run demo`: two companies with 25 users in all. */

export const PASSWORD = 'propusk-demo';
export const admin = 'admin@propusk.test';
/** The user whose gateway password the demo prints: Пётр Орлов. */
export const demoAgent = 'petr.orlov@romashka.test';

/** The gateway's egress address. Strangers connect from 127.0.0.1, so a lock can distinguish the two. */
const EGRESS = '127.0.0.2';
const ECHO_NAME = 'console.propusk.test';

/** The sites that the demo's Apache serves, each with the address that its lock admits. One has no lock. */
export const demoSites = (
  [
    ['crm.romashka.test', 'Клиенты «Ромашки»', EGRESS],
    ['wiki.romashka.test', 'Знания «Ромашки»', EGRESS],
    ['1c.romashka.test', '1С «Ромашки»', EGRESS],
    ['otchet.romashka.test', 'Отчётность «Ромашки»', EGRESS],
    ['admin.romashka.test', 'Админка «Ромашки»', EGRESS],
    ['git.romashka.test', 'Git «Ромашки»', EGRESS],
    ['kadry.romashka.test', 'Кадры «Ромашки»', null],
    ['1c.vasilek.test', '1С «Василька»', EGRESS],
  ] as const
).map(
  ([name, title, admits]): LockedSite => ({
    name,
    title,
    admits,
    pages: ['clients.html', 'orders.html', 'reports.html'],
  }),
);

/** The settings of a product that reaches the `demoSites` on loopback, from an egress address of the gateway alone. */
export const demoSettings = (consolePort: number | string) => ({
  ADMIN_EMAIL: admin,
  ADMIN_PASSWORD: PASSWORD,
  // The gateway denies IP addresses as hosts, so the echo endpoint needs a name.
  ECHO_URL: `http://${ECHO_NAME}:${consolePort}`,
  GATEWAY_EGRESS: EGRESS,
  GATEWAY_ALLOW_NETWORKS: '127.0.0.0/8',
  GATEWAY_HOSTS: [ECHO_NAME, ...demoSites.map(({ name }) => name)]
    .map((name) => `${name}=127.0.0.1`)
    .join(','),
});

export interface DemoCompany {
  owner: { name: string; email: string };
  company: { companyName: string; companySite: string };
  proxy: { host: string; port: number; username: string };
  /** `own`: the egress is the company's own proxy; otherwise it is the gateway's address. */
  policies: { name: string; description: string; own?: boolean; windows?: [number, number][] }[];
  /** Only `demoSites` are served; the others fill the list. */
  sites: [address: string, ...policies: string[]][];
  people: [name: string, surname: string, ...policies: string[]][];
}

export const companies: DemoCompany[] = [
  {
    owner: { name: 'Ирина Соколова', email: 'irina@romashka.test' },
    company: { companyName: 'ООО «Ромашка»', companySite: 'romashka.test' },
    proxy: { host: 'proxy.romashka.test', port: 8080, username: 'romashka' },
    policies: [
      { name: 'Продажи', description: 'CRM и внутренняя база знаний для отдела продаж и их руководителей' },
      { name: 'Бухгалтерия', description: '1С и отчётность' },
      {
        name: 'Подрядчики',
        description: 'Стенды и мониторинг через собственный прокси',
        own: true,
      },
      { name: 'Разработка', description: 'Админки сайта и Git' },
      { name: 'Все сотрудники', description: '' },
    ],
    sites: [
      ['crm.romashka.test', 'Продажи'],
      ['wiki.romashka.test', 'Все сотрудники'],
      ['1c.romashka.test', 'Бухгалтерия'],
      ['otchet.romashka.test', 'Бухгалтерия'],
      ['kadry.romashka.test', 'Бухгалтерия', 'Все сотрудники'],
      ['admin.romashka.test', 'Разработка'],
      ['git.romashka.test', 'Разработка'],
      ['*.stage.romashka.test', 'Подрядчики'],
      ['почта.ромашка.рф', 'Все сотрудники'],
      ['mon.romashka.test:3000', 'Подрядчики'],
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
      ['Павел', 'Беляев', 'Разработка', 'Подрядчики', 'Все сотрудники'],
      ['Татьяна', 'Комарова', 'Все сотрудники'],
      ['Глеб', 'Тихонов'],
    ],
  },
  {
    owner: { name: 'Борис Громов', email: 'boris@vasilek.test' },
    company: { companyName: 'АО «Василёк»', companySite: 'vasilek.test' },
    proxy: { host: 'out.vasilek.test', port: 3128, username: 'vasilek' },
    policies: [
      {
        name: 'Склад и учёт',
        description: '1С для склада',
        // Monday to Friday, 9:00 to 18:00.
        windows: [0, 1, 2, 3, 4].map((day) => [day * 1440 + 540, day * 1440 + 1080]),
      },
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

/** The Latin spelling of each Russian letter, for email addresses. */
export const latin: Record<string, string> = Object.fromEntries(
  'а a,б b,в v,г g,д d,е e,ё e,ж zh,з z,и i,й y,к k,л l,м m,н n,о o,п p,р r,с s,т t,у u,ф f,х h,ц c,ч ch,ш sh,щ sch,ъ ,ы y,ь ,э e,ю yu,я ya'
    .split(',')
    .map((pair) => pair.split(' ') as [string, string]),
);
