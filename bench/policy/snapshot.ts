import { join } from 'node:path';
import type { CompanySnapshot } from '@propusk/contract/feed';
import { createLog } from '@propusk/gateway/log';
import { openSnapshots } from '@propusk/gateway/snapshot';
import { seal, writeSnapshotFile } from '@propusk/gateway/snapshot-file';
import { COMPANIES, companyOf } from './large.ts';

/**
 * Loads the snapshot of a whole platform as a starting gateway does, and parses the same bytes. `write
 * FOLDER KEY` makes the file; `load FOLDER KEY` and `parse FOLDER KEY` are timed, each in a process of its
 * own.
 */
const [, , what = '', folder = '', hex = ''] = process.argv;
const key = Buffer.from(hex, 'hex');
const plain = () => {
  const companies: CompanySnapshot[] = Array.from({ length: COMPANIES }, (_, i) => companyOf(i + 1));
  return JSON.stringify({ contact: Date.now(), companies });
};

switch (what) {
  case 'write': {
    const text = plain();
    await writeSnapshotFile(join(folder, 'gateway-snapshot.bin'), seal(key, Buffer.from(text)));
    process.send?.({ type: 'done', bytes: Buffer.byteLength(text) });
    break;
  }
  case 'parse': {
    const text = plain();
    const started = performance.now();
    const parsed = JSON.parse(text);
    process.send?.({ type: 'done', ms: performance.now() - started, count: parsed.companies.length });
    break;
  }
  default: {
    const started = performance.now();
    const options = { dataDir: folder, snapshotMaxAgeMs: 900_000 };
    const snapshots = await openSnapshots(options, key, createLog('warn'));
    const ms = performance.now() - started;
    const { size } = snapshots.index.companies;
    const peak = process.resourceUsage().maxRSS * 1024;
    process.send?.({ type: 'done', ms, count: size, peak, resident: process.memoryUsage().rss });
  }
}
process.disconnect?.();
