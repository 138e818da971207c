import { closeSync, mkdirSync, openSync, readFileSync, renameSync, writeFileSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { CompanySnapshot } from '@propusk/contract/feed';
import * as z from 'zod/mini';
import { SnapshotFault, seal, unseal } from './snapshot-file.ts';

/**
 * What the snapshot on disk does not know yet: beside it, a sealed line a change. A gateway that is killed between a change
 * and the next snapshot, and comes back while the api is away, lets nobody of these companies in, where the snapshot would
 * let in whose right has just been taken; and refuses to others the hosts that these have just claimed.
 *
 * Written at once and not synced: a process that is killed leaves it, a power cut may take it.
 */
export interface ChangeJournal {
  /** The companies of the last run's list, each with the sites that it had claimed since. */
  readonly companies: ReadonlyMap<number, readonly Site[]>;
  /** Before a change of a company, and before anybody is told of it. @throws Error when the disk refuses */
  note(companyId: number, claimed: readonly Site[]): void;
  /** A snapshot is being made: what is noted from now on is not in it. */
  begin(): void;
  /** That snapshot is on disk. @throws Error when the disk refuses */
  settle(): void;
}

type Site = CompanySnapshot['sites'][number];

const Line = z.object({ companyId: z.int(), sites: CompanySnapshot.shape.sites });

/**
 * Opens the list that the last run left, or an empty one.
 * @throws SnapshotFault for a line that cannot be read: then the snapshot cannot be believed either
 */
export function openChangeJournal(path: string, key: Buffer): ChangeJournal {
  const companies = readList(path, key);
  // grows: by owners, by changes; bound: one number for each company; at the bound: does not grow; test:
  // apps/gateway/src/snapshot.test.ts
  let listed = new Set(companies.keys());
  // grows: by owners, by changes; bound: the changes since the last snapshot was begun; at the bound: the next
  // snapshot empties it; no limit while the disk refuses; test: apps/gateway/src/snapshot.test.ts
  let since: string[] = [];
  let file: number | undefined;
  // grows: by owners, by changes; bound: one number for each company; at the bound: does not grow; test:
  // apps/gateway/src/snapshot.test.ts
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
      // In one step: a list that was emptied first would say nothing for a moment.
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
    if (!read.success) throw new SnapshotFault('Its list of changes is of another version');
    const { companyId, sites } = read.data;
    found.set(companyId, [...(found.get(companyId) ?? []), ...sites]);
  }
  return found;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new SnapshotFault('Its list of changes is not JSON');
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
