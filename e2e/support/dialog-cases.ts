const creator = '/dashboard/creator';
const admin = '/dashboard/admin';

/** The entities whose ids are parts of addresses. */
export type Entity = 'site' | 'proxy' | 'platform' | 'policy' | 'user' | 'own' | 'company' | 'plan';

/** A dialog with an address. */
export interface DialogCase {
  /** `both`: an owner who is also an agent. */
  who: 'owner' | 'admin' | 'both';
  /** The path of the page under the dialog. */
  page: string;
  /** The path of the dialog, relative to the page's path. */
  path: string;
  /** The entity whose id replaces `$id` in the paths. */
  of?: Entity;
  /** A search of the list under the dialog. */
  search?: string;
  /** The button that opens the dialog, or a row and an item of its menu. */
  by: string | readonly [row: RegExp, item: string];
  title: string;
  /** A text field, and the text to type. A dialog without this field has no form. */
  types?: readonly [label: string, text: string];
  /** The path of the call that reads the entity. */
  reads?: string;
  /** The module of the dialog. */
  code: string;
}

const EDIT = 'Редактировать';
const sites = { who: 'owner', page: `${creator}/domains`, of: 'site', search: 'crm' } as const;
const crm = /crm\.romashka/;
const siteForms = 'src/entities/site/form.tsx';
const lock = 'src/features/sites/lock-dialog.tsx';
const policies = { who: 'owner', page: `${creator}/politics`, of: 'policy', search: 'Прод' } as const;
const policyForms = 'src/features/policies/form.tsx';
const proxies = { who: 'owner', page: `${creator}/proxies`, of: 'proxy', search: 'own' } as const;
const proxyForms = 'src/features/proxies/form.tsx';
const editProxy = {
  path: '$id/edit',
  title: 'Прокси-сервер',
  types: ['Хост', 'other.test'],
  reads: '/proxy/$id',
  code: proxyForms,
} as const;
const newProxy = {
  path: 'new',
  by: 'Добавить',
  title: 'Новый прокси-сервер',
  types: ['Хост', 'new.test'],
  code: proxyForms,
} as const;
const users = { who: 'owner', page: `${creator}/users`, of: 'user', search: 'petr' } as const;
const editUser = {
  path: '$id/edit',
  by: [/petr@/, EDIT],
  title: 'Edit user',
  types: ['Имя', 'Павел'],
  reads: '/users/$id',
  code: 'src/features/users/form.tsx',
} satisfies Partial<DialogCase>;
const companies = { who: 'admin', page: `${admin}/companies`, of: 'company', search: 'Васил' } as const;
const companyForms = 'src/features/companies/form.tsx';
const company = { who: 'admin', page: `${admin}/companies/$id`, of: 'company' } as const;
const tariffForms = 'src/features/companies/company/tariff-form.tsx';
const invite = {
  by: 'Пригласить компанию',
  title: 'Пригласить компанию',
  types: ['Почта', 'new@lutik.test'],
  code: companyForms,
} satisfies Partial<DialogCase>;
const editCompany = {
  title: 'Change company',
  types: ['Название', 'Лютик'],
  reads: '/company/$id',
  code: 'src/entities/company/form.tsx',
} satisfies Partial<DialogCase>;
const plans = { who: 'admin', page: `${admin}/plans`, of: 'plan' } as const;
const planForms = 'src/features/plans/form.tsx';

export const dialogCases: readonly DialogCase[] = [
  {
    ...sites,
    path: 'new',
    by: 'Добавить',
    title: 'Новый сайт',
    types: ['Адрес', 'wiki.test'],
    code: siteForms,
  },
  {
    ...sites,
    path: 'import',
    by: 'Импорт',
    title: 'Импорт сайтов',
    types: ['Таблица', 'wiki.test'],
    code: 'src/features/sites/import-dialog.tsx',
  },
  {
    ...sites,
    path: '$id/edit',
    by: [crm, EDIT],
    title: 'Сайт',
    types: ['Адрес', 'erp.test'],
    reads: '/domain-allowed/$id',
    code: siteForms,
  },
  {
    ...sites,
    path: '$id/lock',
    by: [crm, 'Защитить'],
    title: 'Замок: crm.romashka.test',
    reads: '/domain-allowed/$id/lock',
    code: lock,
  },
  {
    ...sites,
    path: '$id/check',
    by: [crm, 'Проверить'],
    title: 'Проверка: crm.romashka.test',
    reads: '/domain-allowed/$id/check',
    code: lock,
  },
  {
    ...sites,
    path: '$id/why',
    by: [crm, 'Проверить доступ пользователя'],
    title: 'Проверить доступ пользователя: crm.romashka.test',
    reads: '/domain-allowed/$id',
    code: 'src/entities/site/why-dialog.tsx',
  },
  {
    ...policies,
    path: 'new',
    by: 'Добавить',
    title: 'Новая политика доступа',
    types: ['Название', 'Закупки'],
    code: policyForms,
  },
  {
    ...policies,
    path: '$id/edit',
    by: [/Продажи/, EDIT],
    title: 'Политика доступа',
    types: ['Название', 'Закупки'],
    reads: '/politics/$id',
    code: policyForms,
  },
  {
    ...policies,
    who: 'both',
    page: '/dashboard/user/politics',
    path: 'new',
    by: 'Добавить',
    title: 'Новая политика доступа',
    types: ['Название', 'Закупки'],
    code: policyForms,
  },
  {
    ...policies,
    who: 'both',
    page: '/dashboard/user/politics',
    path: '$id/edit',
    by: [/Продажи/, EDIT],
    title: 'Политика доступа',
    types: ['Название', 'Закупки'],
    reads: '/politics/$id',
    code: policyForms,
  },
  { ...proxies, ...newProxy },
  { ...proxies, ...editProxy, by: [/own\.romashka/, EDIT] },
  { ...proxies, ...editProxy, who: 'admin', page: `${admin}/proxies`, by: [/own\.romashka/, EDIT] },
  { ...proxies, ...editProxy, who: 'admin', page: `${admin}/politics`, by: [/own\.romashka/, EDIT] },
  { who: 'admin', page: `${admin}/proxies-default`, search: 'plain', ...newProxy },
  {
    ...editProxy,
    who: 'admin',
    page: `${admin}/proxies-default`,
    of: 'platform',
    search: 'plain',
    by: [/plain\.platform/, EDIT],
  },
  {
    ...users,
    path: 'new',
    by: 'Добавить',
    title: 'Новый пользователь',
    types: ['Имя', 'Анна'],
    code: 'src/entities/user/create-user-dialog.tsx',
  },
  {
    ...users,
    path: 'invite',
    by: 'Пригласить по почте',
    title: 'Пригласить по почте',
    types: ['Почта сотрудников', 'anna@romashka.test'],
    code: 'src/features/users/invite-agents-dialog.tsx',
  },
  {
    ...users,
    path: 'import',
    by: 'Импорт',
    title: 'Импорт пользователей',
    types: ['Таблица', 'anna@romashka.test'],
    code: 'src/features/users/import-dialog.tsx',
  },
  { ...users, ...editUser },
  {
    ...users,
    who: 'admin',
    page: `${admin}/users`,
    path: 'new',
    by: 'Добавить администратора',
    title: 'Добавить администратора',
    types: ['Почта', 'second@propusk.test'],
    code: 'src/features/users/change-role-dialog.tsx',
  },
  { ...users, ...editUser, who: 'admin', page: `${admin}/users` },
  {
    ...editCompany,
    who: 'owner',
    page: `${creator}/company`,
    of: 'own',
    path: 'edit',
    by: [/romashka\.test/, EDIT],
  },
  {
    who: 'owner',
    page: `${creator}/tariff`,
    path: 'phone',
    by: EDIT,
    title: 'Телефон компании',
    types: ['Телефон', '+7 916 123 45 67'],
    reads: '/tariff',
    code: 'src/features/tariff/phone-dialog.tsx',
  },
  {
    ...companies,
    path: 'new',
    by: 'Добавить',
    title: 'Новая компания',
    types: ['Сайт', 'lutik.test'],
    code: companyForms,
  },
  { ...companies, ...invite, path: 'invite' },
  { ...companies, ...editCompany, path: '$id/edit', by: [/Василёк/, EDIT] },
  {
    ...companies,
    path: '$id/invite',
    by: [/Василёк/, 'Пригласить владельца'],
    title: 'Пригласить владельца',
    types: ['Почта', 'vera@vasilek.test'],
    code: companyForms,
  },
  {
    ...company,
    path: 'tariff',
    by: EDIT,
    title: 'Тариф компании',
    types: ['Тариф действует по', '31.12.2030'],
    reads: '/company/$id/tariff',
    code: tariffForms,
  },
  {
    ...company,
    path: 'proxy',
    by: 'Добавить платный прокси',
    title: 'Новый платный прокси',
    types: ['Хост', 'paid.test'],
    code: tariffForms,
  },
  { who: 'admin', page: `${admin}/invitations`, search: 'petr', ...invite, path: 'new' },
  {
    ...plans,
    path: 'new',
    by: 'Добавить',
    title: 'Новый тариф',
    types: ['Название', 'Малый'],
    code: planForms,
  },
  {
    ...plans,
    path: '$id/edit',
    by: [/Большой/, EDIT],
    title: 'Тариф',
    types: ['Название', 'Огромный'],
    reads: '/plans',
    code: planForms,
  },
  {
    ...plans,
    path: 'contact',
    by: EDIT,
    title: 'Контакт менеджера',
    types: ['Имя', 'Ольга'],
    reads: '/contact',
    code: 'src/features/plans/contact-form.tsx',
  },
];
