import { createSecretKey, randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { seal } from '@propusk/access/sealed';
import type { CompanySnapshot } from '@propusk/contract/feed';
import { company } from '@propusk/test-kit/gateway/world';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { open, SnapshotFault, SnapshotStore, type SnapshotText } from './snapshot-store.ts';

const key = randomBytes(32);

describe('seal() and open()', () => {
  const secret = createSecretKey(key);
  const plain = '{"who": "may reach what"}';

  test('open() returns the sealed text, and two seals of one text differ', () => {
    const [first, second] = [seal(secret, plain, 'a'), seal(secret, plain, 'a')];
    expect(open(secret, first, 'a').toString()).toBe(plain);
    expect(first.equals(second)).toBe(false);
    expect(first.includes('reach')).toBe(false);
  });

  test('open() rejects any flipped bit, another length, another subject and another key', () => {
    const sealed = seal(secret, plain, 'a');
    for (let bit = 0; bit < sealed.length * 8; bit++) {
      const changed = Buffer.from(sealed);
      changed[bit >> 3] = (changed[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      expect(() => open(secret, changed, 'a')).toThrow(SnapshotFault);
    }
    for (let length = 0; length < sealed.length; length++)
      expect(() => open(secret, sealed.subarray(0, length), 'a')).toThrow(SnapshotFault);
    expect(() => open(secret, Buffer.concat([sealed, Buffer.from([0])]), 'a')).toThrow(SnapshotFault);
    expect(() => open(secret, sealed, 'b')).toThrow(SnapshotFault);
    expect(() => open(createSecretKey(randomBytes(32)), sealed, 'a')).toThrow(SnapshotFault);
  });
});

describe('a file that somebody changed', () => {
  let folder: string;
  let path: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'propusk-store-'));
    path = join(folder, 'gateway-snapshot.db');
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  const changes = (...list: CompanySnapshot[]) =>
    new Map(list.map((each) => [each.companyId, { version: each.version, text: JSON.stringify(each) }]));
  const first = company(['crm.company.test'], { version: 1 });
  const revoked = company(['crm.company.test'], { version: 2, users: [] });
  const other = company(['wiki.company.test'], { id: 2 });

  function written(...steps: Map<number, SnapshotText | null>[]): void {
    const store = new SnapshotStore(path, key);
    store.load(() => {});
    for (const step of steps) store.write(step, 1_000);
    store.close();
  }

  /** The companies and versions in the file; the message of a fault. */
  function read(): Record<number, number> | string {
    const store = new SnapshotStore(path, key);
    const found: Record<number, number> = {};
    try {
      store.load(({ companyId, version }) => {
        found[companyId] = version;
      });
      return found;
    } catch (error) {
      if (error instanceof SnapshotFault) return error.message;
      throw error;
    } finally {
      store.close();
    }
  }

  function edited(sql: string, ...values: (Uint8Array | number)[]): void {
    const db = new DatabaseSync(path);
    db.prepare(sql).run(...values);
    db.close();
  }

  /** What a table holds, to be put back later. */
  function copied(table: 'companies' | 'manifest'): Record<string, unknown>[] {
    const db = new DatabaseSync(path);
    const rows = db.prepare(`SELECT * FROM ${table}`).all();
    db.close();
    return rows;
  }

  test('changes over several runs are read back: the newest version of each company, without the removed ones', () => {
    written(changes(first, other), changes(revoked));
    expect(read()).toEqual({ 1: 2, 2: 1 });
    written(new Map([[2, null]]));
    expect(read()).toEqual({ 1: 2 });
  });

  test('a deleted row, an old row put back and a missing manifest are noticed', () => {
    written(changes(first, other));
    const [old] = copied('companies');
    const [manifest] = copied('manifest');
    written(changes(revoked));
    const whole = readFileSync(path);
    const sealed = old?.sealed as Uint8Array;

    edited('UPDATE companies SET version = 1, sealed = ? WHERE company = 1', sealed);
    expect(read()).toBe('A row is missing or old');
    writeFileSync(path, whole);
    edited('UPDATE companies SET sealed = ? WHERE company = 1', sealed);
    expect(read()).toContain('Damaged');
    writeFileSync(path, whole);
    edited('UPDATE companies SET company = 3 WHERE company = 2');
    expect(read()).toContain('Damaged');
    for (const gone of [1, 2]) {
      writeFileSync(path, whole);
      edited('DELETE FROM companies WHERE company = ?', gone);
      expect(read()).toBe('A row is missing or old');
    }
    writeFileSync(path, whole);
    edited('UPDATE manifest SET sealed = ?', manifest?.sealed as Uint8Array);
    expect(read()).toBe('A row is missing or old');
    writeFileSync(path, whole);
    edited('DELETE FROM manifest');
    expect(read()).toBe('It has no manifest');
    writeFileSync(path, whole);
    expect(read()).toEqual({ 1: 2, 2: 1 });
  });

  test('a file with any byte changed, or truncated at any place, is refused or yields its whole content', () => {
    written(changes(first, other), changes(revoked));
    const whole = readFileSync(path);
    const outcomes = new Set<string>();
    for (let at = 0; at < whole.length; at += 37) {
      const changed = Buffer.from(whole);
      changed[at] = (changed[at] ?? 0) ^ 0xff;
      writeFileSync(path, changed);
      const found = read();
      if (typeof found === 'object') expect(found, `byte ${at}`).toEqual({ 1: 2, 2: 1 });
      outcomes.add(typeof found);
    }
    for (let length = 1; length < whole.length; length += 997) {
      writeFileSync(path, whole.subarray(0, length));
      expect(typeof read(), `${length} bytes`).toBe('string');
    }
    expect(outcomes).toEqual(new Set(['string', 'object']));
  });
});
