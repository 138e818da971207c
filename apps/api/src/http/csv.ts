import { Readable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { limits } from '@propusk/contract/limits';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Actor } from '../core/actor.ts';
import { AppError } from '../core/errors.ts';
import type { Db } from '../db/open.ts';
import { csvColumns } from './csv-tables.ts';

// CSV (RFC 4180) for a Russian Excel: with a byte order mark, semicolons, and labels instead of codes.

export const BOM = '\uFEFF';
const CHUNK_ROWS = 100;

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

/** Replies with the rows of a list as CSV. @throws AppError too_many_rows when more rows match than a file may have */
export async function sendCsv(
  reply: FastifyReply,
  { db, actor }: { db: Db; actor: Actor },
  [title, fields]: readonly [title: string, fields: string],
  answer: unknown,
): Promise<FastifyReply> {
  const rows = (Array.isArray(answer) ? answer : (answer as { rows: unknown[] }).rows) as never[];
  if (rows.length > limits.exportRows) throw new AppError('too_many_rows');
  const { name, zone } = await companyOf(db, actor);
  const { headings, cells } = csvColumns(fields, actor, zone);
  async function* lines() {
    yield BOM + lineOf(headings);
    for (let from = 0; from < rows.length; from += CHUNK_ROWS) {
      yield rows
        .slice(from, from + CHUNK_ROWS)
        .map((row) => lineOf(cells(row)))
        .join('');
      // Lets other calls run between two chunks.
      await nextTurn();
    }
  }
  return sendAs(reply, `${`${title} ${name}`.trim()}.csv`)
    .type('text/csv; charset=utf-8')
    .send(Readable.from(lines()));
}
