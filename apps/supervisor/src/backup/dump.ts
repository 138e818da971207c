import { randomBytes } from 'node:crypto';
import { closeSync, openSync, renameSync, rmSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { createEncryption } from '@propusk/api/encryption';
import { backupPhrases } from '@propusk/phrases/launcher';
import type pg from 'pg';
import { to as copyTo } from 'pg-copy-streams';
import type { Secrets } from '../secrets.ts';
import { BackupRefused } from './backup-refused.ts';
import { ROWS_IN_FRAME, Sealer, type Table } from './frames.ts';
import { FORMAT, type Header, type PassKeys, passKeys } from './header.ts';
import { allTables, keptRows, keptTables, ofRecords, sequences } from './tables.ts';
import { inTransaction } from './transaction.ts';

/**
 * Writes a consistent snapshot of a database into a new file, while other clients may write to the database.
 * Creates the file atomically, with mode 0600.
 * @param options.records whether the file contains access records
 * @param options.extensionKey the sealed signing key of the extension
 * @returns the header of the file
 * @throws BackupRefused when the file already exists, or the keys belong to a different database
 */
export async function dump(
  url: string,
  keys: Secrets,
  passphrase: string,
  path: string,
  { records = true, extensionKey }: { records?: boolean; extensionKey?: string | undefined } = {},
): Promise<Header> {
  const draft = `${path}.part`;
  const file = await open(draft, 'wx', 0o600).catch(({ code }: NodeJS.ErrnoException) => {
    const refusal =
      code === 'EEXIST' ? backupPhrases.leftover(draft) : backupPhrases.fileNotCreated(path, code);
    throw new BackupRefused(refusal);
  });
  // Ctrl-C must not leave an incomplete file.
  const remove = () => rmSync(draft, { force: true });
  process.on('exit', remove);
  try {
    // Derive the key before the transaction, whose locks would delay an upgrade meanwhile.
    const salt = randomBytes(16).toString('base64url');
    const pass = await passKeys(passphrase, salt);
    const names = await inTransaction(url, '', allTables);
    if (!names.includes('kysely_migration')) throw new BackupRefused(backupPhrases.databaseWithoutProduct());
    const header = await inTransaction(url, 'isolation level repeatable read, read only', async (client) => {
      // Lock the tables before the first query takes the snapshot: a table that an upgrade rewrites later
      // would look empty.
      const all = names.map((name) => client.escapeIdentifier(name));
      await client.query(`lock table ${all.join()} in access share mode`);
      const kept = await keptTables(client);
      const tables = records ? kept : kept.filter(({ name }) => !ofRecords.has(name));
      await checkKeys(client, keys);
      return write(client, tables, salt, pass);
    });
    await file.sync();
    await file.close();
    // rename() would replace an existing file, so an empty file is created first, which fails if the name is taken. FAT and
    // CIFS have no link(). Both calls are synchronous, so no signal handler runs between them.
    closeSync(openSync(path, 'wx', 0o600));
    try {
      renameSync(draft, path);
    } catch (error) {
      rmSync(path);
      throw error;
    }
    await syncFolder(dirname(path));
    return header;
  } catch (error) {
    throw explained(error, path);
  } finally {
    await file.close().catch(() => {});
    remove();
    process.off('exit', remove);
  }

  async function write(client: pg.Client, tables: Table[], salt: string, pass: PassKeys): Promise<Header> {
    const header: Header = {
      propusk: 'backup',
      format: FORMAT,
      created: new Date().toISOString(),
      migration: await newestMigration(client),
      tables: await counts(client, tables),
      records,
      salt,
      check: pass.check,
    };
    const line = Buffer.from(`${JSON.stringify(header)}\n`);
    const sealer = new Sealer(pass.frames, line);
    await file.writeFile(line);
    const contents = { keys: { ...keys }, tables, sequences: await sequences(client), extensionKey };
    await file.writeFile(await sealer.seal({ contents }));
    for (const table of tables) {
      for await (const rows of inPieces(client.query(copyTo(copyOf(client, table, 'to stdout'))))) {
        await file.writeFile(await sealer.seal({ table: table.name }, rows));
      }
    }
    await file.writeFile(await sealer.end());
    return header;
  }
}

/** Builds the COPY statement for the columns that a backup file holds. */
export function copyOf(
  client: pg.ClientBase,
  { name, columns }: Table,
  way: 'to stdout' | 'from stdin',
): string {
  const quoted = columns.map((column) => client.escapeIdentifier(column)).join();
  const table = client.escapeIdentifier(name);
  // COPY TO cannot read a partitioned table by name, only by a query.
  return way === 'to stdout'
    ? `copy (select ${quoted} from ${table} ${keptRows[name] ?? ''}) ${way}`
    : `copy ${table} (${quoted}) ${way}`;
}

/** Joins the chunks of a COPY stream into buffers of a frame's size. */
async function* inPieces(stream: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let waiting: Buffer[] = [];
  let length = 0;
  for await (const bytes of stream) {
    for (let at = 0; at < bytes.length; at += ROWS_IN_FRAME) {
      const piece = bytes.subarray(at, at + ROWS_IN_FRAME);
      waiting.push(piece);
      length += piece.length;
      if (length < ROWS_IN_FRAME) continue;
      yield Buffer.concat(waiting);
      waiting = [];
      length = 0;
    }
  }
  if (length > 0) yield Buffer.concat(waiting);
}

async function counts(client: pg.ClientBase, tables: Table[]): Promise<Record<string, number>> {
  const found: Record<string, number> = {};
  for (const { name } of tables) {
    const { rows } = await client.query<{ held: number }>(
      `select count(*) as held from ${client.escapeIdentifier(name)} ${keptRows[name] ?? ''}`,
    );
    found[name] = rows[0]?.held ?? 0;
  }
  return found;
}

async function newestMigration(client: pg.ClientBase): Promise<string> {
  const { rows } = await client.query<{ name: string }>('select max(name) as name from kysely_migration');
  return rows[0]?.name ?? '';
}

/** Refuses a key that did not encrypt the columns of this database: nobody could decrypt them after a restore. */
async function checkKeys(client: pg.ClientBase, { SECRET_KEY }: Secrets): Promise<void> {
  const { rows } = await client.query<{ key_check: Buffer }>('select key_check from platform');
  if (rows[0]?.key_check.equals(createEncryption(SECRET_KEY).check)) return;
  throw new BackupRefused(backupPhrases.wrongKey());
}

async function syncFolder(path: string): Promise<void> {
  await using folder = await open(path, 'r');
  await folder.sync();
}

function explained(error: unknown, path: string): unknown {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'EEXIST') return new BackupRefused(backupPhrases.fileExists(path));
  if (code === 'ENOSPC' || code === 'EDQUOT') {
    return new BackupRefused(backupPhrases.diskFull(path));
  }
  if (code === '55P03') {
    return new BackupRefused(backupPhrases.databaseMigrating());
  }
  return error;
}
