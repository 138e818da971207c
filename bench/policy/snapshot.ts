import { join } from 'node:path';
import type { CompanySnapshot } from '@propusk/contract/feed';
import { createLog } from '@propusk/gateway/log';
import { openSnapshots } from '@propusk/gateway/snapshot';
import { SnapshotStore } from '@propusk/gateway/snapshot-store';
import { COMPANIES, companyOf } from './large.ts';

/**
 * Loads the snapshot of a whole platform as a starting gateway does, and parses the same bytes. `write
 * FOLDER KEY` makes the file; `load FOLDER KEY` and `parse FOLDER KEY` are timed, each in a process of its
 * own.
 */
const [, , what = '', folder = '', hex = ''] = process.argv;
const key = Buffer.from(hex, 'hex');
const companies = (): CompanySnapshot[] => Array.from({ length: COMPANIES }, (_, i) => companyOf(i + 1));
const plain = () => JSON.stringify(companies());

switch (what) {
  case 'write': {
    const store = new SnapshotStore(join(folder, 'gateway-snapshot.db'), key);
    const texts = companies().map((each) => ({ ...each, text: JSON.stringify(each) }));
    store.write(new Map(texts.map((each) => [each.companyId, each])), Date.now());
    store.close();
    process.send?.({ type: 'done', bytes: Buffer.byteLength(plain()) });
    break;
  }
  case 'parse': {
    const text = plain();
    const started = performance.now();
    const parsed = JSON.parse(text);
    process.send?.({ type: 'done', ms: performance.now() - started, count: parsed.length });
    break;
  }
  default: {
    const started = performance.now();
    const options = { dataDir: folder, snapshotMaxAgeMs: 900_000 };
    const snapshots = openSnapshots(options, key, createLog('warn'));
    const ms = performance.now() - started;
    const { size } = snapshots.index.companies;
    const peak = process.resourceUsage().maxRSS * 1024;
    process.send?.({ type: 'done', ms, count: size, peak, resident: process.memoryUsage().rss });
  }
}
process.disconnect?.();
