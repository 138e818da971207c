import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtemp, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { gatewayKeys } from '@propusk/access/gateway-secret';
import type { RecordRow } from '@propusk/contract/gateway-records';
import { get } from '@propusk/test-kit/gateway/client';
import { type FeedServer, startFeedServer } from '@propusk/test-kit/gateway/feed-server';
import { startGatewayProcess } from '@propusk/test-kit/gateway/gateway-process';
import { company, credentials, SECRET, until } from '@propusk/test-kit/gateway/world';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createLog } from '../log.ts';
import { RecordSender } from './record-sender.ts';
import { RecordSpool } from './record-spool.ts';

/** How records reach the api: in order, each once, over failures of the api and deaths of the gateway. */

const keys = gatewayKeys(SECRET);
const slots = { own: 0, others: [] };
let api: FeedServer;
let folder: string;
let setting: 'full' | 'none' = 'full';
const senders: RecordSender[] = [];

beforeEach(async () => {
  api = await startFeedServer(SECRET);
  folder = await mkdtemp(join(tmpdir(), 'propusk-records-'));
});
afterEach(async () => {
  for (const sender of senders.splice(0)) await sender.stop();
  await api.stop();
  await rm(folder, { recursive: true, force: true });
});

function start({ most = 1e8, worker = 0, workers = 1, companies = 1 } = {}): RecordSender {
  const spool = new RecordSpool({ folder, worker, workers, slots, key: keys.records, most });
  const sender = new RecordSender({
    ...{
      apiUrl: api.url,
      key: keys.feed,
      run: randomUUID(),
      companies: () => companies,
      addresses: () => setting,
      spool,
    },
    log: createLog('silent'),
  });
  senders.push(sender);
  sender.start();
  return sender;
}

let made = 0;
/** Rows with hosts that do not compress. The duration of each row equals its number. */
const some = (count: number, companyId = 0): RecordRow[] =>
  Array.from({ length: count }, () => {
    const [number, host] = [++made, randomBytes(60).toString('hex')];
    const ids = [companyId, 0, 0, 0, 0] as const;
    return [number, 'tunnel', Date.now(), number, 0, ...ids, '', host, 443, '', 1, 0, 0, 0, '', 0];
  });
function add(sender: RecordSender, rows: readonly RecordRow[]): void {
  for (const row of rows) sender.add(row);
  sender.flush(Date.now());
}
const numbers = (rows: readonly RecordRow[]) => rows.map(([number]) => number);
/** The numbers of all records except records of loss. */
const durations = (records: readonly { kind: string; ms: number }[]) =>
  records.filter(({ kind }) => kind !== 'loss').map(({ ms }) => ms);
const stored = () => api.batches.flatMap(({ records }) => records);
const spooled = async (worker = 0) =>
  (await readdir(join(folder, String(worker)))).filter((name) => name.endsWith('.batch')).toSorted();

test('batches arrive in order, numbered from 1 in one run of one gateway', async () => {
  const sender = start();
  const batches = [some(900), some(1), some(20)];
  for (const batch of batches) add(sender, batch);
  await until(() => api.batches.length === 3);
  expect(api.batches.map(({ records }) => durations(records))).toEqual(batches.map(numbers));
  expect(api.batches.map(({ number }) => number)).toEqual([1, 2, 3]);
  await until(() => sender.waiting === 0);
  expect(sender.totals).toEqual({ sent: 921, lost: 0 });
  const [first] = api.batches;
  await sender.stop();
  add(start(), some(1));
  await until(() => api.batches.length === 4);
  expect(api.batches[3]).toMatchObject({ gateway: first?.gateway, number: 1 });
  expect(api.batches[3]?.run).not.toBe(first?.run);
});

test.each<['answers 500' | 'answers 401' | 'is gone' | 'stores and cuts']>([
  ['answers 500'],
  ['answers 401'],
  ['is gone'],
  ['stores and cuts'],
])('while the api %s no record is lost, and afterwards each is stored once, in order', async (how) => {
  const sender = start();
  const all = Array.from({ length: 12 }, () => some(50));
  const [early = [], ...later] = all;
  add(sender, early);
  await until(() => api.batches.length === 1);
  if (how === 'is gone') await api.stop();
  else api.answerRecords(how === 'stores and cuts' ? 'cut' : Number(how.slice(-3)));
  for (const batch of later) add(sender, batch);
  await until(() => sender.waiting === 11 * 50);
  await new Promise((resolve) => setTimeout(resolve, 500));
  expect(await spooled()).toHaveLength(11);
  if (how === 'is gone') await api.start();
  api.answerRecords('store');
  await until(() => sender.waiting === 0);
  expect(durations(stored())).toEqual(numbers(all.flat()));
  await expect.poll(() => spooled()).toEqual([]);
  if (how === 'stores and cuts') {
    const repeats = api.arrived.filter(({ number }) => number === 2);
    expect(repeats.length).toBeGreaterThan(1);
    expect(new Set(repeats.map((batch) => JSON.stringify(batch))).size).toBe(1);
  }
});

test('a batch is sent again when the api does not answer within 10 s', async () => {
  api.answerRecords('hang');
  const sender = start();
  add(sender, some(5));
  await until(() => api.arrived.length === 1);
  api.answerRecords('store');
  await until(() => sender.waiting === 0);
  expect(api.arrived.map(({ number }) => number)).toEqual([1, 1]);
});

test('every batch is on disk before it is sent, and none is lost', async () => {
  api.answerRecords('hang');
  const sender = start();
  const all = Array.from({ length: 30 }, () => some(900));
  for (const batch of all) {
    add(sender, batch);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  await new Promise((resolve) => setTimeout(resolve, 1_000));
  expect(await spooled()).toHaveLength(30);
  expect(api.arrived).toHaveLength(1);
  expect(sender.totals.lost).toBe(0);
  await api.stop();
  api.answerRecords('store');
  await api.start();
  await until(() => sender.waiting === 0);
  expect(durations(stored())).toEqual(numbers(all.flat()));
});

test('a batch that the api refuses for good is dropped, and the next one carries a record of loss', async () => {
  const sender = start();
  api.answerRecords(400);
  add(sender, some(30));
  await until(() => sender.totals.lost === 30);
  api.answerRecords('store');
  const later = some(1);
  add(sender, later);
  await until(() => api.batches.length === 1);
  expect(durations(stored())).toEqual(numbers(later));
  expect(stored().at(-1)).toMatchObject({ kind: 'loss', reason: 'rejected', count: 30 });
});

test('an earlier api gets the records in the form that it knows', async () => {
  api.answerRecords('old');
  const sender = start();
  const all = [some(30), some(2)];
  for (const rows of all) add(sender, rows);
  await until(() => sender.waiting === 0);
  expect(durations(stored())).toEqual(numbers(all.flat()));
  expect(sender.totals).toEqual({ sent: 32, lost: 0 });
});

test('a full spool loses the newest records, and one record of loss counts them', async () => {
  const most = 400_000;
  const sender = start({ most });
  await api.stop();
  const began = Date.now();
  const all: RecordRow[][] = [some(1, 1)];
  add(sender, all[0] ?? []);
  // Once an attempt has failed, all batches are compressed and have about the same size.
  await sleep(500);
  /** The batches that are stored or lost. */
  const settled = async () => (await spooled()).length + sender.totals.lost / 900;
  for (let i = 0; i < 60; i++) {
    const rows = some(900, 1);
    all.push(rows);
    add(sender, rows);
    // At most 40 batches may wait for the disk, and about 14 fit into memory.
    await expect.poll(settled, { timeout: 20_000 }).toBeGreaterThan(i - 30);
  }
  for (let before = -1; before !== (await settled()); await sleep(500)) before = await settled();
  const { lost } = sender.totals;
  // A company without neighbours may use the whole spool.
  const sizes = (await spooled()).map(async (name) => (await stat(join(folder, '0', name))).size);
  expect((await Promise.all(sizes)).reduce((sum, size) => sum + size, 0)).toBeGreaterThan(0.8 * most);
  expect(lost).toBeGreaterThan(10_000);
  await api.start();
  await until(() => sender.waiting === 0);
  const last = some(1);
  add(sender, last);
  await until(() => sender.waiting === 0);
  const kept = all.flat().slice(0, all.flat().length - lost);
  expect(kept.length).toBeGreaterThan(5_000);
  expect(durations(stored())).toEqual(numbers([...kept, ...last]));
  const [loss, ...more] = stored().filter(({ kind }) => kind === 'loss');
  expect([loss, more]).toMatchObject([{ reason: 'spool', count: lost, open: false }, []]);
  expect(Date.parse(loss?.startedAt ?? '')).toBeGreaterThanOrEqual(began);
  expect(loss?.ms).toBeGreaterThan(0);
});

test('a full spool loses the records of the company that fills it, and none of another company', async () => {
  const sender = start({ most: 400_000, companies: 2 });
  await api.stop();
  // The second company begins once the first one has filled the spool as far as it may.
  for (let i = 0; i < 120; i++) {
    add(sender, [...some(300, 1), ...some(i < 60 ? 0 : 5, 2)]);
    await sleep(20);
  }
  expect(sender.totals.lost).toBeGreaterThan(10_000);
  await api.start();
  await until(() => sender.waiting === 0);
  add(sender, []);
  await until(() => stored().some(({ kind }) => kind === 'loss'));
  const kept = stored().filter(({ kind, companyId }) => kind === 'tunnel' && companyId === 2);
  expect(kept).toHaveLength(300);
  const losses = stored().filter(({ kind }) => kind === 'loss');
  expect(losses.map(({ companyId }) => companyId)).toEqual([1]);
});

test('without a spool records wait in memory', async () => {
  const sender = start({ most: 0 });
  api.answerRecords(503);
  const all = some(40);
  add(sender, all);
  await until(() => api.arrived.length > 1);
  await expect.poll(() => spooled()).toEqual([]);
  api.answerRecords('store');
  await until(() => sender.waiting === 0);
  expect(durations(stored())).toEqual(numbers(all));
});

test('after a stop the next run sends the batches of the earlier runs first, under their own run', async () => {
  api.answerRecords(503);
  const runs = [some(3), some(4), some(5)];
  for (const records of runs) {
    const sender = start();
    add(sender, records);
    await sender.stop();
  }
  expect(await spooled()).toHaveLength(3);
  api.answerRecords('store');
  const later = some(1);
  add(start(), later);
  await until(() => api.batches.length === 4);
  expect(durations(stored())).toEqual(numbers([...runs.flat(), ...later]));
  expect(new Set(api.batches.map(({ run }) => run)).size).toBe(4);
  expect(new Set(api.batches.map(({ gateway }) => gateway)).size).toBe(1);
});

test('a stop reports no loss, although the api does not answer', async () => {
  api.answerRecords('hang');
  const sender = start();
  add(sender, some(3));
  await until(() => api.arrived.length === 1);
  const stopped = sender.stop();
  await sleep(300);
  const spool = new RecordSpool({ folder, worker: 0, workers: 1, slots, key: keys.records, most: 1e8 });
  expect((await spool.open()).killed).toBeNull();
  await stopped;
});

test('the loss that is reported after a kill covers the time of refusals that were only counted in memory', async () => {
  const sender = start();
  const safe = Date.now() - 30_000;
  for (const row of some(2)) sender.add(row);
  sender.flush(safe);
  await until(() => sender.waiting === 0);
  const spool = new RecordSpool({ folder, worker: 0, workers: 1, slots, key: keys.records, most: 1e8 });
  expect((await spool.open()).killed).toBeLessThanOrEqual(safe);
});

test('a record that waits for the disk holds no address once its company allows none', async () => {
  const sender = start();
  const [row] = some(1);
  if (row) row[10] = '203.0.113.5';
  setting = 'none';
  add(sender, row ? [row] : []);
  await until(() => sender.waiting === 0);
  setting = 'full';
  expect(stored()).toMatchObject([{ address: '' }]);
});

test('a worker sends the batches of a worker that no longer exists', async () => {
  api.answerRecords(503);
  const gone = start({ worker: 3, workers: 4 });
  add(gone, some(2));
  await gone.stop();
  api.answerRecords('store');
  start({ worker: 1, workers: 2 });
  await until(() => api.batches.length === 1);
  await expect.poll(() => spooled(3)).toEqual([]);
});

test.each<[string, (path: string) => Promise<void>]>([
  [
    'changed',
    async (path) => {
      const bytes = await readFile(path);
      bytes.writeUInt8(bytes.readUInt8(40) ^ 1, 40);
      await writeFile(path, bytes);
    },
  ],
  ['cut short', async (path) => writeFile(path, (await readFile(path)).subarray(0, 20))],
  ['renamed to another number', (path) => rename(path, path.replace('-000000001-', '-000000009-'))],
])('a spooled batch whose file was %s is refused and deleted, and the others are sent', async (_, change) => {
  api.answerRecords(503);
  const first = start();
  add(first, some(3));
  const whole = some(4);
  add(first, whole);
  await first.stop();
  const [name = ''] = await spooled();
  await change(join(folder, '0', name));
  api.answerRecords('store');
  const sender = start();
  await until(() => sender.waiting === 0 && sender.totals.sent === 4);
  expect(durations(stored())).toEqual(numbers(whole));
  expect(sender.totals.lost).toBe(3);
  await expect.poll(() => spooled()).toEqual([]);
});

test('files of the spool hold no readable record, and only their owner reads them', async () => {
  api.answerRecords(503);
  const sender = start();
  const [row] = some(1);
  add(sender, row === undefined ? [] : [row]);
  await sender.stop();
  const [name = ''] = await spooled();
  const bytes = await readFile(join(folder, '0', name));
  expect(bytes.includes(String(row?.[11]))).toBe(false);
});

test('a gateway that is killed while the api does not answer loses no record that it has spooled; its next run reports a loss, and a run after a clean stop reports none', async () => {
  api.publish(company(['dead.company.test']));
  const env = { API_URL: api.url, DATA_DIR: folder };
  const gateway = await startGatewayProcess(env);
  const me = credentials(1);
  await until(() => api.connections() === 1);
  api.answerRecords(503);
  for (const name of ['a', 'b', 'c']) {
    await get(gateway.port, me, `http://${name}.foreign.test/`);
    const seen = api.arrived.length;
    await until(() => api.arrived.length > seen);
  }
  const inSpool = async () => (await readdir(join(folder, 'gateway-records', '0'))).length;
  const end = performance.now() + 5_000;
  while ((await inSpool()) < 3 && performance.now() < end)
    await new Promise((resolve) => setTimeout(resolve, 20));
  await new Promise((resolve) => setTimeout(resolve, 1_500));
  await gateway.kill();
  const run = api.arrived[0]?.run;
  api.answerRecords('store');
  const again = await startGatewayProcess(env);
  await until(() => api.connections() === 2);
  await get(again.port, me, 'http://d.foreign.test/');
  await until(() => stored().length === 5);
  const refused = stored().filter(({ kind }) => kind === 'refusal');
  expect(refused.map(({ host }) => host)).toEqual(['a', 'b', 'c', 'd'].map((name) => `${name}.foreign.test`));
  const gaps = () => stored().filter(({ kind }) => kind === 'loss');
  expect(gaps()).toMatchObject([{ reason: 'killed', count: 0 }]);
  expect(Date.parse(gaps()[0]?.startedAt ?? '')).toBeGreaterThanOrEqual(
    Date.parse(refused[2]?.startedAt ?? ''),
  );
  const batches = api.batches.filter(({ records }) => records.length > 0);
  const [before, after] = [
    batches.filter((batch) => batch.run === run),
    batches.filter((batch) => batch.run !== run),
  ];
  expect(batches).toEqual([...before, ...after]);
  await again.terminate();
  const third = await startGatewayProcess(env);
  await until(() => new Set(api.batches.map((batch) => batch.run)).size === 3);
  expect(gaps()).toHaveLength(1);
  await third.terminate();
});

test('the gap of a killed gateway begins before the first record that was not on disk', async () => {
  api.answerRecords('hang');
  const sender = start();
  add(sender, some(1));
  await expect.poll(() => spooled()).toHaveLength(1);
  await sleep(50);
  const unwritten = Date.now();
  for (const row of some(1)) sender.add(row);
  // The folder as a kill leaves it.
  const spool = new RecordSpool({ folder, worker: 0, workers: 1, slots, key: keys.records, most: 1e8 });
  const { killed } = await spool.open();
  expect(killed).toBeLessThan(unwritten);
  expect(killed).toBeGreaterThan(unwritten - 1_000);
});
