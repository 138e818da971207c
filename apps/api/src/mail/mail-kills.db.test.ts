import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { inviteOwner } from '@propusk/contract/role-changes';
import { GATEWAY_SECRET, PASSWORD, testEncryption, testPasswords } from '@propusk/test-kit/api/api';
import { createTestDatabase, type TestDatabase } from '@propusk/test-kit/api/database';
import { type Inbox, openInbox } from '@propusk/test-kit/api/inbox';
import { freePort } from '@propusk/test-kit/daemon';
import { type ApiProcess, startApiProcess } from '@propusk/test-kit/gateway/api-process';
import { addSession, addUser, insertCompany } from '@propusk/test-kit/matrix/inserts';
import { quickOrSoak, threatCase } from '@propusk/test-kit/threat-case';
import pg from 'pg';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { ofProcess } from '../identity/passwords.ts';
import { openMail } from './store.ts';

/** Kills the api while it stores invitations and sends their mails. */

const KILLS = quickOrSoak(3, 50);
const INVITATIONS = 6;

let database: TestDatabase;
let observer: pg.Client;
let inbox: Inbox;
let api: ApiProcess;
let folder: string;
let admin: string;
let company: number;
let env: Parameters<typeof startApiProcess>[1];
beforeAll(async () => {
  inbox = await openInbox();
  // Delays the SMTP replies, so that some kills happen after a mail was received and before its row is deleted.
  inbox.slow(() => Math.random() * 150);
  database = await createTestDatabase(inject('serverUrl'));
  ({ id: company } = await insertCompany(database.db, 'kills'));
  const id = await addUser(database.db, {
    companyId: null,
    email: 'admin@kills.test',
    roles: ['ADMIN'],
    hash: await testPasswords.hash(PASSWORD, ofProcess),
  });
  admin = await addSession(database.db, id);
  observer = new pg.Client({ connectionString: database.url, application_name: 'observer' });
  await observer.connect();
  folder = await mkdtemp(join(tmpdir(), 'propusk-kills-'));
  env = {
    DATABASE_URL: database.url,
    SECRET_KEY: 'the sealing secret of all the tests',
    GATEWAY_SECRET,
    DATA_DIR: folder,
    SMTP_URL: inbox.url,
    LOG_LEVEL: 'fatal',
  };
  api = await startApiProcess(await freePort(), env);
});
afterAll(async () => {
  await api.kill();
  await observer.end();
  await database.drop();
  await inbox.close();
  await rm(folder, { recursive: true, force: true });
});

const received = (to: string) => inbox.mails.filter((mail) => mail.to === to).length;

/** Reads the recipients of all mails in the outbox. */
async function waiting(): Promise<Set<string>> {
  const { rows } = await observer.query<{ id: string; sealed: Buffer }>('select id, sealed from mails');
  return new Set(rows.map((row) => openMail(testEncryption, { ...row, run: '', tries: 1 })?.to ?? ''));
}

const invite = (kill: number, place: number, at = api) =>
  at.must(admin, inviteOwner, {
    id: company,
    body: { email: recipient(kill, place), currentPassword: PASSWORD },
    headers: { 'idempotency-key': recipient(kill, place) },
  });
const recipient = (kill: number, place: number) => `owner${kill}-${place}@kills.test`;

/** Waits until PostgreSQL has rolled back the transactions of the killed process. */
async function untilRolledBack(): Promise<void> {
  for (;;) {
    const { rows } = await observer.query<{ count: number }>(
      `select count(*)::int as count from pg_stat_activity
       where datname = current_database() and pid <> pg_backend_pid() and state <> 'idle'`,
    );
    // Resets the rate limits, because they still count the password checks that the kill interrupted.
    if (rows[0]?.count === 0) return void (await observer.query('delete from rate_limits'));
    await sleep(10);
  }
}

async function untilEmpty(): Promise<void> {
  for (let tries = 500; (await waiting()).size > 0; tries--) {
    if (tries === 0) throw new Error('the outbox does not empty');
    await sleep(20);
  }
}

test(
  'an api killed after a commit loses no mail, and repeats one only if killed between sending it and deleting its row',
  () =>
    threatCase('kill -9', 'an api killed between the commit of an invitation and its mail', async (tally) => {
      const seen = { rolledBack: 0, unsent: 0, unrecorded: 0, recorded: 0, twice: 0 };
      for (let kill = 0; kill < KILLS; kill++) {
        const places = Array.from({ length: INVITATIONS }, (_, place) => place);
        const calls = places.map((place) => invite(kill, place).catch(() => null));
        while ((await waiting()).size === 0 && received(recipient(kill, 0)) === 0) await sleep(1);
        await sleep(Math.random() * 500);
        await api.kill();
        await Promise.all(calls);
        await untilRolledBack();
        const left = await waiting();
        const before = places.map((place) => received(recipient(kill, place)));
        const { rows } = await observer.query<{ email: string }>('select email from users');
        const committed = new Set(rows.map(({ email }) => email));
        // Makes leased mails due at once, instead of waiting until the leases of the killed process expire.
        await observer.query('update mails set due_at = now()');
        await api.start();
        // The client repeats each call until it succeeds.
        await Promise.all(places.map((place) => invite(kill, place)));
        await untilEmpty();
        for (const place of places) {
          const to = recipient(kill, place);
          const sent = before[place] ?? 0;
          const isUnrecorded = left.has(to) && sent === 1;
          if (!committed.has(to)) seen.rolledBack++;
          else if (isUnrecorded) seen.unrecorded++;
          else if (left.has(to)) seen.unsent++;
          else seen.recorded++;
          const count = received(to);
          if (count === 2) seen.twice++;
          tally.see(count === (isUnrecorded ? 2 : 1), `${to} came ${count} times`);
        }
      }
      tally.note(
        `${KILLS} kills: ${Object.entries(seen)
          .map(([name, count]) => `${name} ${count}`)
          .join(', ')}`,
      );
    }),
  quickOrSoak(240_000, 600_000),
);

test('two api processes with one outbox send each mail once', async () => {
  const second = await startApiProcess(await freePort(), env);
  const places = Array.from({ length: 20 }, (_, place) => place);
  // Sends ten invitations at a time, because a session may have at most ten password checks in progress.
  for (let from = 0; from < 20; from += 10) {
    const group = places.slice(from, from + 10);
    await Promise.all(group.map((place) => invite(KILLS, place, place % 2 === 0 ? api : second)));
  }
  await untilEmpty();
  expect(places.map((place) => received(recipient(KILLS, place)))).toEqual(places.map(() => 1));
  expect(await second.terminate()).toBe(0);
});
