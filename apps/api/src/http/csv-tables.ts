import { type AuditRow, listAudit } from '@propusk/contract/audit';
import { listCompanies } from '@propusk/contract/companies';
import type { Endpoint } from '@propusk/contract/endpoint';
import type { User } from '@propusk/contract/me';
import { listPolicies, type Policy } from '@propusk/contract/policies';
import { listAllProxies, listProxies, type Proxy } from '@propusk/contract/proxies';
import { shownEmails } from '@propusk/contract/shown-email';
import { visible } from '@propusk/contract/shown-text';
import { listSites, type Site } from '@propusk/contract/sites';
import { unicodeHost } from '@propusk/contract/unicode-host';
import { companyUsers, listUsers } from '@propusk/contract/users';
import * as t from '@propusk/phrases/console';
import { type Actor, isAdmin, scopeOf } from '../core/actor.ts';

const days = 'createdAt updatedAt';
const people = `name surname email roles politics company lastVisitAt ${days}`;
const proxies = `host port type company ${days}`;

/** The titles and fields of the lists that a user may export. */
export const csvTables: ReadonlyMap<Endpoint, readonly [title: string, fields: string]> = new Map<
  Endpoint,
  [string, string]
>([
  [listSites, [t.sites.title, `address protection politics lastVisitAt ${days}`]],
  [companyUsers, [t.users.title, people]],
  [listUsers, [t.users.title, people]],
  [listPolicies, [t.policies.title, `policyName description proxy users sites ${days}`]],
  [listProxies, [t.proxies.title, proxies]],
  [listAllProxies, [t.proxies.title, proxies]],
  [listCompanies, [t.companies.title, `companyName companySite ${days}`]],
  [listAudit, [t.audit.title, 'at actor action company address']],
]);

const headings: Readonly<Record<string, string>> = {
  ...t.audit.fields,
  ...t.columns,
  protection: t.sites.protection,
  company: t.audit.company,
  policyName: t.policies.name,
  at: t.audit.when,
  actor: t.users.person,
  action: t.audit.what,
};
/** The cells of fields whose text is not the value itself. */
const special: Readonly<Record<string, (row: never) => string>> = {
  address: ({ address }: Site) => unicodeHost(address),
  policyName: ({ name }: Policy) => name,
  protection: ({ protection }: Site) =>
    protection ? t.sites.verdicts[protection.verdict] : t.sites.unchecked,
  roles: ({ roles }: User) => roles.map(({ value }) => t.users.role[value]).join(', '),
  company: ({ company }: User | AuditRow) =>
    company === null ? '' : 'name' in company ? company.name : company.companyName,
  type: ({ settings }: Proxy) => t.proxies.types[settings.type],
  actor: ({ actor }: AuditRow) => `${actor.name} ${actor.email}`.trim(),
  action: ({ action, object }: AuditRow) => t.audit.events[action](object.kind, object.name),
};

/** Returns the headings, and a function that makes the cells of a row. Times are in the given time zone. */
export function csvColumns(fields: string, actor: Actor, timeZone: string) {
  const time = new Intl.DateTimeFormat('ru', { dateStyle: 'short', timeStyle: 'medium', timeZone });
  const scope = scopeOf(actor);
  const hidden = new Map([
    ['lastVisitAt', scope !== 'company'],
    ['protection', scope === 'own'],
    ['company', !isAdmin(actor)],
  ]);
  const names = fields.split(' ').filter((field) => hidden.get(field) !== true);
  const textOf = (row: Record<string, unknown>) => (field: string) => {
    const value = row[field];
    const own = special[field];
    if (own !== undefined) return own(row as never);
    if (field === 'lastVisitAt' && typeof value !== 'string')
      return value === null ? t.columns.never : t.columns.noRecords;
    if (Array.isArray(value)) return value.map(({ name, host }) => name ?? host).join(', ');
    return /(^at|At)$/.test(field) ? time.format(Date.parse(String(value))).replace(',', '') : String(value);
  };
  return {
    headings: names.map((field) => (headings[field] ?? field).replace(/^./, (first) => first.toUpperCase())),
    cells: (row: Record<string, unknown>) => names.map(textOf(row)).map((text) => shownEmails(visible(text))),
  };
}
