import { closeSync, mkdirSync, openSync, readFileSync, renameSync, writeFileSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { CompanySnapshot } from '@propusk/contract/feed';
import * as z from 'zod/mini';
import { SnapshotFault, seal, unseal } from './snapshot-file.ts';

/**
 * The changes that the snapshot file does not hold yet: an encrypted line for each, in a file beside it. The snapshot file may
 * still grant revoked access and miss new host claims. A gateway that is killed before the next snapshot is written,
 * and restarts without the api, denies the companies in the journal and honours their new claims.
 *
 * Written synchronously without fsync: it survives a killed process, not a power cut.
 */
export interface ChangeJournal {
  /** The companies in the last run's journal, each with its new sites that claim a host. */
  readonly companies: ReadonlyMap<number, readonly Site[]>;
  /** Records a change, before it takes effect. @throws Error when the write fails */
  note(companyId: number, claimed: readonly Site[]): void;
  /** Called when a snapshot is taken: the changes that are recorded from now on are not in it. */
  begin(): void;
  /** Called when that snapshot is on disk: drops the changes that are in it. @throws Error when the write fails */
  settle(): void;
}

type Site = CompanySnapshot['sites'][number];

const Line = z.object({ companyId: z.int(), sites: CompanySnapshot.shape.sites });

/**
 * Opens the journal of the last run, or an empty one.
 * @throws SnapshotFault for an unreadable line: then the snapshot cannot be trusted either
 */
export function openChangeJournal(path: string, key: Buffer): ChangeJournal {
  const companies = readList(path, key);
  // grows: by owners, by changes; bound: one number for each company; at the bound: does not grow
  let listed = new Set(companies.keys());
  // grows: by owners, by changes; bound: the changes since the last snapshot began; at the bound: the next snapshot
  // empties it; unlimited while writes fail
  let since: string[] = [];
  let file: number | undefined;
  // grows: by owners, by changes; bound: one number for each company; at the bound: does not grow
  const names = new Set<number>();

  return {
    companies,
    note(companyId, claimed) {
      if (listed.has(companyId) && names.has(companyId) && claimed.length === 0) return;
      const plain = JSON.stringify({ companyId, sites: claimed });
      const line = `${seal(key, Buffer.from(plain)).toString('base64')}\n`;
      since.push(line);
      names.add(companyId);
      mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
      file ??= openSync(path, 'a', 0o600);
      writeSync(file, line);
      listed.add(companyId);
    },
    begin() {
      since = [];
      names.clear();
    },
    settle() {
      // Write a temporary file and rename it: a kill right after a truncation would leave a journal without entries.
      const temporary = `${path}.${process.pid}.tmp`;
      writeFileSync(temporary, since.join(''), { mode: 0o600 });
      renameSync(temporary, path);
      listed = new Set(names);
      if (file !== undefined) closeSync(file);
      file = undefined;
    },
  };
}

function readList(path: string, key: Buffer): Map<number, readonly Site[]> {
  const found = new Map<number, readonly Site[]>();
  for (const line of readText(path).split('\n').filter(Boolean)) {
    const read = Line.safeParse(parse(unseal(key, Buffer.from(line, 'base64')).toString()));
    if (!read.success) throw new SnapshotFault('The change journal has another version');
    const { companyId, sites } = read.data;
    found.set(companyId, [...(found.get(companyId) ?? []), ...sites]);
  }
  return found;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new SnapshotFault('The change journal is not JSON');
  }
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return '';
    throw error;
  }
}
