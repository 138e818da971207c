import type { AuditRow } from '@propusk/contract/audit';
import { limits } from '@propusk/contract/limits';
import type { User } from '@propusk/contract/me';
import type { Proxy } from '@propusk/contract/proxies';
import { shownEmails } from '@propusk/contract/shown-email';
import { visible } from '@propusk/contract/shown-text';
import type { Site } from '@propusk/contract/sites';
import { unicodeHost } from '@propusk/contract/unicode-host';
import * as t from '@propusk/phrases/console';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Actor, isAdmin, scopeOf } from '../core/actor.ts';
import { AppError } from '../core/errors.ts';
import type { Db, Tx } from '../db/open.ts';

export const BOM = '\uFEFF';
/** The rows of one read. An event of the audit, or a row with all its links, can have 200 KB. */
const PAGE_ROWS = 250;
/** The largest file. The lists of one company, with the most links and names of usual length, are smaller. */
const MOST_BYTES = 8 * 1024 * 1024;
/** The time to read a list. The console waits 20 s for the reply. */
const READ_MS = 15_000;

/** The titles and fields of the lists that a user may export, by the first segment of the call's path. */
const tables: Readonly<Record<string, readonly [title: string, fields: string]>> = {
  'domain-allowed': [t.sites.title, 'address protection politics lastVisitAt createdAt updatedAt'],
  users: [t.users.title, 'name surname email roles politics company lastVisitAt createdAt updatedAt'],
  politics: [t.policies.title, 'policyName description proxy users sites createdAt updatedAt'],
  proxy: [t.proxies.title, 'host port type company createdAt updatedAt'],
  company: [t.companies.title, 'companyName companySite createdAt updatedAt'],
  audit: [t.audit.title, 'at actor action company address'],
};
const headings: Readonly<Record<string, string>> = {
  ...t.audit.fields,
  ...t.columns,
  ...{ protection: t.sites.protection, company: t.audit.company, policyName: t.policies.name },
  ...{ lastVisitAt: t.lastVisit.title, at: t.audit.when, actor: t.users.person, action: t.audit.what },
};
/** The functions that render the cells of those fields whose text differs from the value. */
const special: Readonly<Record<string, (row: never) => string>> = {
  address: ({ address }: Site) => unicodeHost(address),
  policyName: ({ name }: { name: string }) => name,
  protection: ({ protection: k }: Site) => (k ? t.sites.verdicts[k.verdict] : t.sites.unchecked),
  roles: ({ roles }: User) => roles.map(({ value }) => t.users.role[value]).join(', '),
  company: ({ company }: { company: null | { name?: string; companyName?: string } }) =>
    company?.name ?? company?.companyName ?? '',
  type: ({ settings }: Proxy) => t.proxies.types[settings.type],
  actor: ({ actor }: AuditRow) => `${actor.name} ${actor.email}`.trim(),
  action: ({ action, object }: AuditRow) => t.audit.events[action](object.kind, object.name),
};

// A quoted cell can hold separators and line ends (RFC 4180). An apostrophe keeps a spreadsheet from running a formula.
const cell = (value: string | number) =>
  `"${String(value)
    .replace(/^[=+\-@\t\r\n]/, "'$&")
    .replaceAll('"', '""')}"`;
export const lineOf = (values: readonly (string | number)[]) => `${values.map(cell).join(';')}\r\n`;

export const asksCsv = ({ headers }: FastifyRequest) => /\btext\/csv\b/.test(headers.accept ?? '');

/** The name and the time zone of the actor's company; for an ADMIN without a company, no name and Moscow time. */
export async function companyOf(db: Db, { companyId }: Actor): Promise<{ name: string; zone: string }> {
  const companies = db.selectFrom('companies').select(['company_name as name', 'time_zone as zone']);
  const company = await companies.where('id', '=', companyId).executeTakeFirst();
  return company ?? { name: '', zone: 'Europe/Moscow' };
}

/** Makes the reply a file for download. Windows refuses some characters in file names; they become spaces. */
export function sendAs(reply: FastifyReply, file: string): FastifyReply {
  const plain = file.replace(/[\\/:*?"<>|\p{Cc}\p{Cf}]/gu, ' ').trim();
  // encodeURIComponent leaves '()* unescaped, which RFC 8187 section 3.2 does not allow (attr-char).
  const encoded = encodeURIComponent(plain).replace(/['()*]/g, (c) => `%${c.charCodeAt(0).toString(16)}`);
  return reply.headers({ 'content-disposition': `attachment; filename*=UTF-8''${encoded}`, vary: 'Accept' });
}

/** Returns the name of a list's file, and a function that renders its rows. @param path the path of the list's call */
export async function csvTable(db: Db, actor: Actor, path: string) {
  const [title = '', fields = ''] = tables[path.split('/')[1] ?? ''] ?? [];
  const { name, zone } = await companyOf(db, actor);
  const time = new Intl.DateTimeFormat('ru', { dateStyle: 'short', timeStyle: 'medium', timeZone: zone });
  const scope = scopeOf(actor);
  const hidden = { lastVisitAt: scope !== 'company', protection: scope === 'own', company: !isAdmin(actor) };
  const names = fields.split(' ').filter((field) => !hidden[field as keyof typeof hidden]);
  const textOf = (row: Fields, field: string) => {
    const value = row[field];
    if (special[field] !== undefined) return special[field](row as never);
    if (value === undefined) return t.lastVisit.unknown;
    if (value === null) return t.lastVisit.never;
    if (typeof value !== 'string') return value.map((each) => each.name ?? each.host).join(', ');
    return /(^at|At)$/.test(field) ? time.format(Date.parse(value)).replace(',', '') : value;
  };
  const titles = names.map((field) =>
    (headings[field] ?? field).replace(/^./, (first) => first.toUpperCase()),
  );
  const lineOfRow = (row: Fields) => lineOf(names.map((field) => shownEmails(visible(textOf(row, field)))));

  /**
   * Renders a list as CSV for a Russian Excel: semicolons, labels instead of codes, and times of the company's zone. Only one page
   * of rows is in memory at a time. All pages are of one snapshot of the database.
   * @param read reads a page of the list
   * @throws AppError too_many_rows when more rows match than a file may have; too_long
   */
  async function render(
    heavy: Db,
    read: (tx: Tx, page: { page: number; take: number }) => Promise<unknown>,
  ): Promise<Buffer[]> {
    const deadline = performance.now() + READ_MS;
    const chunks = [Buffer.from(BOM + lineOf(titles))];
    let [bytes, last] = [0, PAGE_ROWS];
    await heavy
      .transaction()
      .setIsolationLevel('repeatable read')
      .execute(async (tx) => {
        for (let page = 1; last === PAGE_ROWS; page++) {
          if (performance.now() > deadline) throw new AppError('too_long');
          const answer = (await read(tx, { page, take: PAGE_ROWS })) as
            | Fields[]
            | { rows: Fields[]; count: number };
          const { rows, count } = Array.isArray(answer) ? { rows: answer, count: 0 } : answer;
          last = rows.length;
          const chunk = Buffer.from(rows.map(lineOfRow).join(''));
          bytes += chunk.length;
          if (Math.max(count, (page - 1) * PAGE_ROWS + last) > limits.exportRows || bytes > MOST_BYTES)
            throw new AppError('too_many_rows');
          chunks.push(chunk);
        }
      });
    return chunks;
  }
  return { file: `${`${title} ${name}`.trim()}.csv`, render };
}

type Fields = Readonly<
  Record<string, string | null | readonly { name?: string; host?: string }[] | undefined>
>;
