import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { closeSync, constants, openSync, readSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rename, rm, rmdir, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { GatewayRecord } from '@propusk/contract/gateway-records';
import { freePort } from '@propusk/test-kit/daemon';
import { mountSmallDisk } from '@propusk/test-kit/faults/small-disk';
import { get } from '@propusk/test-kit/gateway/client';
import { startGatewayProcess } from '@propusk/test-kit/gateway/gateway-process';
import { company, credentials, readMetric, startWorld, until } from '@propusk/test-kit/gateway/world';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createLog } from '../log.ts';
import { RecordLog } from './record-log.ts';

/** The file of ACCESS_LOG: its lines, and what happens to them while it cannot be written. */

let folder: string;
let path: string;
const logs: RecordLog[] = [];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'propusk-access-log-'));
  path = join(folder, 'access.log');
});
afterEach(async () => {
  for (const log of logs.splice(0)) await log.stop();
  await rm(folder, { recursive: true, force: true });
});

/** A log, and the warnings about it. */
function start(target = path): { log: RecordLog; warnings: object[] } {
  const warnings: object[] = [];
  const own = createLog('silent');
  own.warn = (fields: object) => void warnings.push(fields);
  const log = new RecordLog(target, own);
  logs.push(log);
  return { log, warnings };
}

function add(log: RecordLog, records: readonly GatewayRecord[]): void {
  for (const each of records) log.add(each);
  log.flush();
}
const record = (given: Partial<GatewayRecord> = {}): GatewayRecord => ({
  ...{ id: randomUUID(), kind: 'tunnel', startedAt: '2026-03-02T10:00:00.000Z', ms: 5, open: false },
  ...{ address: '203.0.113.5', host: 'crm.company.test', port: 443, reason: '', count: 1, up: 2, down: 3 },
  ...given,
});
const some = (count: number) => Array.from({ length: count }, () => record());
const parse = (text: string) =>
  text
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line));
const lines = async (file = path): Promise<GatewayRecord[]> => parse(await readFile(file, 'utf8'));

test('each record is one line, and the file is readable by its group only, whatever the umask', async () => {
  const before = process.umask(0o077);
  const { log } = start();
  const records = some(2_000);
  add(log, records);
  await until(() => log.totals.written === 2_000);
  process.umask(before);
  expect(await lines()).toEqual(records);
  expect((await stat(path)).mode & 0o777).toBe(0o640);
});

test('an open record is written at its start and not at its updates', async () => {
  const { log } = start();
  const id = randomUUID();
  for (const ms of [400, 60_400, 120_400]) add(log, [record({ id, ms, open: true })]);
  add(log, [record({ id, ms: 150_000 })]);
  await until(() => log.totals.written === 2);
  expect((await lines()).map(({ ms, open }) => [ms, open])).toEqual([
    [400, true],
    [150_000, false],
  ]);
});

test('with - the lines are on standard output', async () => {
  const records = some(200);
  const module = new URL('record-log.ts', import.meta.url).href;
  const code = `import { RecordLog } from ${JSON.stringify(module)};
    const log = new RecordLog('-', console);
    for (const each of ${JSON.stringify(records)}) log.add(each);
    log.flush();
    await log.stop();`;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', code]);
  expect(parse(stdout)).toEqual(records);
});

test('a moved file ends, and later lines are in a new one', async () => {
  const { log } = start();
  const [first, second] = [some(3), some(3)];
  add(log, first);
  await until(() => log.totals.written === 3);
  await rename(path, `${path}.1`);
  add(log, second);
  await until(() => log.totals.written === 6);
  expect(await lines(`${path}.1`)).toEqual(first);
  expect(await lines()).toEqual(second);
});

test('while the path cannot be opened lines wait with one warning, and are written afterwards', async () => {
  await mkdir(path);
  const { log, warnings } = start();
  const records = some(10);
  add(log, records);
  await until(() => warnings.length > 0);
  add(log, some(0));
  await new Promise((resolve) => setTimeout(resolve, 1_200));
  expect(warnings).toEqual([{ file: path, fault: expect.stringContaining('EISDIR'), waiting: 10, lost: 0 }]);
  await rmdir(path);
  await until(() => log.totals.written === 10);
  expect(await lines()).toEqual(records);
});

test('beyond 4 MB lines are lost, and a line of kind loss counts them once the path opens', async () => {
  await mkdir(path);
  const { log } = start();
  for (let i = 0; i < 40; i++) add(log, some(999));
  const { lost } = log.totals;
  expect(lost).toBeGreaterThan(5_000);
  await rmdir(path);
  await until(() => log.totals.written === 40 * 999 - lost + 1);
  const all = await lines();
  expect(all).toHaveLength(40 * 999 - lost + 1);
  expect(all.filter(({ kind }) => kind === 'loss')).toMatchObject([{ reason: 'access_log', count: lost }]);
});

test('after a full disk each record has a whole line', async () => {
  const disk = mountSmallDisk(folder, '1m');
  await writeFile(join(folder, 'filler'), Buffer.alloc(800_000));
  const { log, warnings } = start();
  const records = some(2_000);
  add(log, records);
  await until(() => warnings.length > 0);
  expect(log.totals.written).toBeLessThan(2_000);
  expect(await readFile(path, 'utf8')).not.toMatch(/\n$/);
  disk.makeRoom();
  await until(() => log.totals.written === 2_000);
  const text = await readFile(path, 'utf8');
  await log.stop();
  logs.pop();
  disk.unmount();
  const whole = text.split('\n').filter((line) => line.endsWith('}') && line.startsWith('{'));
  expect(whole.map((line) => JSON.parse(line))).toEqual(records);
});

test('a FIFO that nobody reads delays nothing, and its reader gets every line', async () => {
  await promisify(execFile)('mkfifo', [path]);
  const { log, warnings } = start();
  const records = some(1_000);
  add(log, records);
  await until(() => warnings.length > 0);
  const fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  const buffer = Buffer.alloc(1e6);
  let text = '';
  await until(() => {
    try {
      text += buffer.toString('utf8', 0, readSync(fd, buffer));
    } catch {}
    return log.totals.written === 1_000 && text.split('\n').filter((line) => line !== '').length >= 1_000;
  });
  closeSync(fd);
  const whole = text.split('\n').filter((line) => line.startsWith('{') && line.endsWith('}'));
  expect(whole.map((line) => JSON.parse(line))).toEqual(records);
});

test.each(['1', '2'])(
  'a gateway of %s processes writes to a moved file anew, and survives SIGHUP',
  async (count) => {
    await using world = await startWorld((port) => [company([`crm.company.test:${port}`])]);
    const metricsPort = await freePort();
    const gateway = await startGatewayProcess({
      ...{ API_URL: world.feed.url, DATA_DIR: folder, ACCESS_LOG: path, GATEWAY_PROCESSES: count },
      GATEWAY_METRICS_PORT: String(metricsPort),
    });
    const visit = () => get(gateway.port, credentials(1), `http://crm.company.test:${world.origin.port}/`);
    const size = (file: string) =>
      lines(file).then(
        ({ length }) => length,
        () => 0,
      );
    const untilLines = async (file: string, least: number) => {
      for (let i = 0; i < 100 && (await size(file)) < least; i++) await new Promise((r) => setTimeout(r, 50));
      return lines(file);
    };
    while (!(await visit()).startsWith('HTTP/1.1 200')) await new Promise((r) => setTimeout(r, 50));
    expect((await untilLines(path, 1)).at(-1)).toMatchObject({
      host: 'crm.company.test',
      userId: 1,
      open: false,
    });
    await new Promise((r) => setTimeout(r, 1_500));
    await rename(path, `${path}.1`);
    process.kill(gateway.pid, 'SIGHUP');
    await visit();
    expect(await untilLines(path, 1)).toMatchObject([{ kind: 'requests', userId: 1 }]);
    expect(await readMetric(metricsPort, 'access_log_records_total{result="written"}')).toBeGreaterThan(1);
    expect(await readMetric(metricsPort, 'access_log_records_total{result="lost"}')).toBe(0);
    // The last visits end with the gateway.
    await visit();
    expect(await gateway.terminate()).toBe(0);
    expect(await lines()).toHaveLength(2);
  },
);
