import { randomUUID } from 'node:crypto';
import { mkdtemp, readdir, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { listAudit } from '@propusk/contract/audit';
import { login } from '@propusk/contract/auth';
import { feedRecords, type GatewayRecord } from '@propusk/contract/gateway-records';
import { me } from '@propusk/contract/me';
import {
  type RecordSettingsChange,
  type RecordSettingsInput,
  recordSettings,
  setRecordSettings,
} from '@propusk/contract/record-settings';
import { listVisits, statistics } from '@propusk/contract/records';
import { changeRole } from '@propusk/contract/role-changes';
import { deleteUser } from '@propusk/contract/users';
import { PASSWORD, startApi, type TestApi, testKeys } from '@propusk/test-kit/api/api';
import { readMail } from '@propusk/test-kit/api/inbox';
import { afterAll, beforeAll, expect, inject, test, vi } from 'vitest';
import { startRecordKeeper } from './keeper.ts';

let api: TestApi;
let mailFolder: string;
beforeAll(async () => {
  mailFolder = await mkdtemp(join(tmpdir(), 'propusk-record-settings-'));
  api = await startApi(inject('serverUrl'), { settings: { mailFolder } });
});
afterAll(() => api.close());

const DAY_MS = 86_400_000;
const sql = (text: string, ...values: unknown[]) => api.database.pool.query(text, values);

async function company() {
  const { token } = await api.company();
  const id = (await api.must(token, me)).company?.id ?? 0;
  return { token, id, agent: await api.agent(token) };
}
type Home = Awaited<ReturnType<typeof company>>;

const standard: RecordSettingsInput = {
  addresses: 'full',
  keepNames: true,
  timeZone: 'Europe/Moscow',
};
const proof = { currentPassword: PASSWORD };
const set = ({ token }: Home, change: Partial<RecordSettingsChange>) =>
  api.must(token, setRecordSettings, { body: { ...standard, ...change } });

/** Moves the effective time of every pending change back by 72 hours, and applies the changes. */
async function passDelay(): Promise<void> {
  await sql("update record_cuts set in_force_at = in_force_at - interval '72 hours'");
  await keep();
}

async function send(...visits: [home: Home, startedAt: string][]): Promise<void> {
  const records = visits.map(
    ([{ id, agent }, startedAt]): GatewayRecord => ({
      ...{ id: randomUUID(), kind: 'tunnel', startedAt, ms: 1_500, open: false, companyId: id },
      ...{ userId: agent.id, address: '203.0.113.5', host: 'crm.example.ru', port: 443 },
      ...{ reason: '', count: 1, up: 100, down: 2_000 },
    }),
  );
  const body = { gateway: randomUUID(), run: randomUUID(), number: 1, records };
  await api.must(testKeys.feed, feedRecords, { body });
}

async function keep(): Promise<void> {
  const log = { warn: vi.fn<(...facts: unknown[]) => void>() };
  const keeper = startRecordKeeper({ db: api.database.db, log, days: 90 });
  await keeper.tick();
  await keeper.close();
  expect(log.warn).not.toHaveBeenCalled();
}

test('a company starts with the default record settings, and a change writes an audit event', async () => {
  const home = await company();
  expect(await api.must(home.token, recordSettings)).toMatchObject({
    ...standard,
    retentionDays: null,
    platformDays: 90,
  });
  const change = { addresses: 'none', retentionDays: 30, keepNames: false, timeZone: 'Asia/Tokyo' } as const;
  const { addresses, timeZone, ...less } = change;
  expect(await set(home, { ...change, ...proof })).toMatchObject({ addresses, timeZone, pending: less });
  await passDelay();
  expect(await api.must(home.token, recordSettings)).toMatchObject({ ...change, pending: null });
  const [row] = (await api.must(home.token, listAudit, { query: {} })).rows;
  expect(row).toMatchObject({
    action: 'changed',
    object: { kind: 'company', id: home.id },
    changes: {
      addresses: { from: 'full', to: 'none' },
      retentionDays: { to: '30' },
      keepNames: { from: true, to: false },
      recordsCutAt: { to: expect.any(String) },
      timeZone: { from: 'Europe/Moscow', to: 'Asia/Tokyo' },
    },
  });
});

test('invalid or outdated record settings are refused and change nothing', async () => {
  const home = await company();
  const { version } = await set(home, {});
  const refused = async (change: Partial<RecordSettingsInput>, of = version) => {
    const body = { ...standard, ...change };
    const headers = { 'if-match': `"${of}"` };
    return (await api.call(home.token, setRecordSettings, { body, headers })).error;
  };
  expect(await refused({ retentionDays: 91 })).toMatchObject({
    fields: { retentionDays: expect.stringContaining('90') },
  });
  // Simulates a LOG_RETENTION that the operator lowered after the company had chosen 120 days.
  await sql('update companies set record_days = 120 where id = $1', home.id);
  expect(await refused({ retentionDays: 119 })).toMatchObject({ code: 'bad_input' });
  expect(await set(home, { retentionDays: 120 })).toMatchObject({ retentionDays: 120, pending: null });
  await sql('update companies set record_days = null, version = $2 where id = $1', home.id, version);
  // Only PostgreSQL accepts the time zone posix/Europe/Moscow, and only JavaScript accepts europe/moscow.
  for (const timeZone of ['Mars/Base', 'posix/Europe/Moscow', 'europe/moscow'])
    expect(await refused({ timeZone }), timeZone).toMatchObject({ fields: { timeZone: expect.anything() } });
  expect((await refused({ addresses: 'none' }, version - 1)).code).toBe('changed_meanwhile');
  expect(await api.must(home.token, recordSettings)).toMatchObject({ ...standard, version });
});

test('the record keeper deletes records older than the retention of the company', async () => {
  const [short, other] = [await company(), await company()];
  const ago = (days: number) => new Date(Date.now() - days * DAY_MS).toISOString();
  await send([short, ago(8)], [short, ago(6)], [other, ago(8)]);
  for (const home of [short, other])
    await api.must(home.token, deleteUser, { params: { id: home.agent.id } });
  await sql("update record_people set deleted_at = now() - interval '8 days'");
  await set(short, { retentionDays: 7, ...proof });
  await passDelay();
  const count = async (table: string, { id }: Home) =>
    (await sql(`select from ${table} where company_id = $1`, id)).rowCount;
  expect([await count('records', short), await count('records', other)]).toEqual([1, 1]);
  expect([await count('record_hours', short), await count('record_hours', other)]).toEqual([1, 1]);
  expect([await count('record_people', short), await count('record_people', other)]).toEqual([0, 1]);
  await set(short, {});
  await keep();
  expect(await count('records', short)).toBe(1);
});

test('a company that turns off `keepNames` loses the stored names of deleted users', async () => {
  const [home, other] = [await company(), await company()];
  const later = await api.agent(home.token);
  const now = new Date().toISOString();
  await send([home, now], [{ ...home, agent: later }, now], [other, now]);
  for (const { token, agent } of [home, other])
    await api.must(token, deleteUser, { params: { id: agent.id } });
  const names = async ({ token }: Home) =>
    (await api.must(token, listVisits, { query: {} })).rows.map(({ user }) => user?.name);
  expect(await names(home)).not.toContain('');
  await set(home, { keepNames: false, ...proof });
  await passDelay();
  await api.must(home.token, deleteUser, { params: { id: later.id } });
  expect(await names(home)).toEqual(['', '']);
  expect(await names(other)).not.toContain('');
});

test('a shorter retention takes effect after 72 hours and can be canceled by other owners', async () => {
  const home = await company();
  const partner = await api.agent(home.token);
  const role = { role: 'CREATOR', ...proof } as const;
  await api.must(home.token, changeRole, { params: { id: partner.id }, body: role });
  const { token: second } = await api.must(null, login, {
    body: { email: partner.email, password: PASSWORD },
  });
  const log = [home, new Date(Date.now() - 8 * DAY_MS).toISOString()] as [Home, string];
  await send(log);
  const stored = async () => (await sql('select from records where company_id = $1', home.id)).rowCount;
  const less = { retentionDays: 7 };
  const refused = await api.call(home.token, setRecordSettings, { body: { ...standard, ...less } });
  expect(refused.error).toMatchObject({ code: 'bad_input', fields: { currentPassword: expect.anything() } });
  const wrong = { body: { ...standard, ...less, currentPassword: 'not the password' } };
  expect((await api.call(home.token, setRecordSettings, wrong)).status).toBe(400);

  const { pending } = await set(home, { ...less, ...proof });
  expect(Date.parse(pending?.inForceAt ?? '') - Date.now()).toBeGreaterThan(71.9 * 3_600_000);
  await keep();
  expect(await stored()).toBe(1);
  const cutMails = async () => {
    const files = (await readdir(mailFolder)).filter((name) => name.endsWith('.eml'));
    const texts = await Promise.all(files.map((name) => readFile(join(mailFolder, name), 'utf8')));
    return texts.map(readMail).filter(({ text }) => text.includes('изменил хранение'));
  };
  const mails = async () =>
    (await cutMails()).map(({ text, to }) => [to, text.includes('старше 7 дней'), text.includes('Имена')]);
  await expect.poll(mails).toEqual([[partner.email, true, false]]);
  // A change of another setting keeps the pending change and its effective time.
  expect((await set(home, { ...less, addresses: 'none' })).pending).toEqual(pending);

  expect(await set({ ...home, token: second }, {})).toMatchObject({ retentionDays: null, pending: null });
  await passDelay();
  expect(await stored()).toBe(1);
  // A retention equal to the platform's maximum is no reduction, so the change needs no password.
  expect((await set(home, { retentionDays: 90 })).pending).toBeNull();

  await sql('update companies set record_days = 7 where id = $1', home.id);
  await set(home, { ...less, keepNames: false, ...proof });
  await expect.poll(mails).toContainEqual([partner.email, false, true]);
  // Each new pending change sends a mail, so the eleventh within an hour is refused. Repeating a pending change is allowed.
  const cut = (retentionDays: number) =>
    api.call(home.token, setRecordSettings, { body: { ...standard, retentionDays, ...proof } });
  for (const days of [6, 5, 4, 3, 2, 6, 5, 4]) expect((await cut(days)).status).toBe(200);
  const last = await cut(3);
  expect([last.status, last.error.code]).toEqual([429, 'too_many_requests']);
  await expect.poll(async () => (await cutMails()).length).toBe(10);
  for (let n = 0; n < 12; n++) await set(home, { ...less, ...proof });
});

test.each([
  // A day of 23 hours: the clocks of Berlin go forward at 01:00 UTC.
  ['Europe/Berlin', '2026-03-28T23:00', '2026-03-29T22:00', ['2026-03-28T22:30', '2026-03-29T22:30']],
  // Pacific/Kiritimati is 14 hours ahead of UTC, so 2 March begins there on 1 March UTC.
  ['Pacific/Kiritimati', '2026-03-01T10:00', '2026-03-02T10:00', ['2026-03-01T09:30', '2026-03-02T10:30']],
])(
  'in the time zone %s, a day of the statistics contains the visits of that day in that zone',
  async (timeZone, from, to, outside) => {
    const home = await company();
    await set(home, { timeZone });
    const at = (time: string, minutes: number) =>
      new Date(Date.parse(`${time}:00Z`) + minutes * 60_000).toISOString();
    await send(
      [home, at(from, 1)],
      [home, at(to, -1)],
      ...outside.map((time): [Home, string] => [home, at(time, 0)]),
    );
    const query = { from: at(from, -48 * 60), to: at(to, 48 * 60), step: 'day' } as const;
    const { chart } = await api.must(home.token, statistics, { query });
    expect(chart.map((step) => step.visits)).toEqual([1, 2, 1]);
    expect(chart[1]?.at).toBe(at(from, 0));
  },
);
