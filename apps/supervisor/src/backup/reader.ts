import { type FileHandle, open } from 'node:fs/promises';
import { backupParts, backupPhrases } from '@propusk/phrases/launcher';
import { BackupRefused, damaged } from './backup-refused.ts';
import { type Contents, lengthOf, Sealer } from './frames.ts';
import { HEADER_LIMIT, type Header, openWith, type PassKeys, parseHeader } from './header.ts';

/** A backup file that was verified to its end. */
export interface Backup {
  readonly header: Header;
  readonly contents: Contents;
  /** Reads and checks the file again: it may have changed since. */
  rows(): AsyncGenerator<{ table: string; rows: Buffer }>;
}

/**
 * Reads the header, which needs no passphrase.
 * @throws BackupRefused when the file is not a backup, or one of a newer version
 */
export async function readHeader(path: string): Promise<Header> {
  await using file = await openFile(path);
  return (await headerOf(file)).header;
}

/**
 * Reads a file to its end before any use: decrypts every frame, counts every row.
 * @throws BackupRefused for a wrong passphrase, or when a bit is missing or changed
 */
export async function verify(path: string, passphrase: string): Promise<Backup> {
  return readThrough(path, await openWith(passphrase, await readHeader(path)));
}

/** Verifies a file with derived keys. */
export async function readThrough(path: string, keys: PassKeys): Promise<Backup> {
  const header = await readHeader(path);
  const counted = new Map<string, number>(Object.keys(header.tables).map((name) => [name, 0]));
  const found: { contents?: Contents } = {};
  for await (const { table, rows } of read(path, header, keys, (contents) => (found.contents = contents))) {
    counted.set(table, (counted.get(table) ?? 0) + linesIn(rows));
  }
  for (const [table, rows] of counted) {
    if (header.tables[table] !== rows) throw damaged(backupParts.tableRows(table));
  }
  const { contents } = found;
  if (contents === undefined) throw damaged(backupParts.contents());
  return { header, contents, rows: () => read(path, header, keys) };
}

async function* read(
  path: string,
  expected: Header,
  keys: PassKeys,
  onContents: (contents: Contents) => void = () => {},
): AsyncGenerator<{ table: string; rows: Buffer }> {
  await using file = await openFile(path);
  const { header, line, length } = await headerOf(file);
  if (JSON.stringify(header) !== JSON.stringify(expected)) throw damaged(backupParts.changed());
  const sealer = new Sealer(keys.frames, line);
  const next = reader(file, length);
  for (let first = true; ; first = false) {
    const start = await next(4);
    const frame = await sealer.open(start, await next(lengthOf(start)));
    if (first !== 'contents' in frame.line) throw damaged(backupParts.frameOrder());
    if ('contents' in frame.line) onContents(frame.line.contents);
    if ('table' in frame.line) yield { table: frame.line.table, rows: frame.rows };
    if ('digest' in frame.line) break;
  }
  if ((await file.stat()).size !== next.at()) throw damaged(backupParts.trailingBytes());
}

/** Reads exactly the requested number of bytes, sequentially. */
function reader(file: FileHandle, from: number): { (length: number): Promise<Buffer>; at(): number } {
  let at = from;
  const next = async (length: number) => {
    const bytes = Buffer.alloc(length);
    let got = 0;
    while (got < length) {
      const { bytesRead } = await file.read(bytes, got, length - got, at + got);
      if (bytesRead === 0) throw damaged(backupParts.truncated());
      got += bytesRead;
    }
    at += length;
    return bytes;
  };
  return Object.assign(next, { at: () => at });
}

async function headerOf(file: FileHandle): Promise<{ header: Header; line: Buffer; length: number }> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(HEADER_LIMIT), 0, HEADER_LIMIT, 0);
  const end = buffer.subarray(0, bytesRead).indexOf('\n');
  // Without a line end it is probably not a backup: the parser reports it.
  const line = buffer.subarray(0, end < 0 ? bytesRead : end + 1);
  return { header: parseHeader(line), line, length: line.length };
}

async function openFile(path: string): Promise<FileHandle> {
  try {
    const file = await open(path, 'r');
    if ((await file.stat()).isFile()) return file;
    await file.close();
    throw new BackupRefused(backupPhrases.notAFile(path));
  } catch (error) {
    if (error instanceof BackupRefused) throw error;
    const { code } = error as NodeJS.ErrnoException;
    throw new BackupRefused(
      code === 'ENOENT' ? backupPhrases.fileMissing(path) : backupPhrases.fileNotOpened(path, code),
    );
  }
}

/** COPY's text format has one line for each row, and escapes line breaks in values. */
function linesIn(rows: Buffer): number {
  let lines = 0;
  for (let at = rows.indexOf(10); at >= 0; at = rows.indexOf(10, at + 1)) lines++;
  return lines;
}
