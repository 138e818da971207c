import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { importUsers } from '@propusk/contract/imports';
import { createPolicy } from '@propusk/contract/policies';
import { GATEWAY_SECRET, testEncryption } from '@propusk/test-kit/api/api';
import { createTestDatabase, type TestDatabase } from '@propusk/test-kit/api/database';
import { type Inbox, openInbox } from '@propusk/test-kit/api/inbox';
import { freePort } from '@propusk/test-kit/daemon';
import { type ApiProcess, startApiProcess } from '@propusk/test-kit/gateway/api-process';
import { addSession, addUser, insertCompany } from '@propusk/test-kit/matrix/inserts';
import { stopwatch } from '@propusk/test-kit/stopwatch';
import { quickOrSoak, threatCase } from '@propusk/test-kit/threat-case';
import pg from 'pg';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { openMail } from '../mail/store.ts';

/** Imports 900 users into a company with one owner, and kills the api during such imports. */

const KILLS = quickOrSoak(4, 20);
const PEOPLE = 900;

let database: TestDatabase;
let observer: pg.Client;
let inbox: Inbox;
let api: ApiProcess;
let folder: string;
let owner: string;
let policy: number;
/** The time of an import in an api that has just started, in milliseconds. */
let importMs = 400;
beforeAll(async () => {
  inbox = await openInbox();
  database = await createTestDatabase(inject('serverUrl'));
  const { id: companyId } = await insertCompany(database.db, 'kills');
  const email = 'owner@kills.test';
  owner = await addSession(
    database.db,
    await addUser(database.db, { companyId, email, roles: ['CREATOR'], hash: 'x' }),
  );
  observer = new pg.Client({ connectionString: database.url });
  await observer.connect();
  folder = await mkdtemp(join(tmpdir(), 'propusk-kills-'));
  api = await startApiProcess(await freePort(), {
    DATABASE_URL: database.url,
    SECRET_KEY: 'the sealing secret of all the tests',
    GATEWAY_SECRET,
    DATA_DIR: folder,
    SMTP_URL: inbox.url,
    LOG_LEVEL: 'fatal',
  });
  policy = (await api.must(owner, createPolicy, { body: { name: 'Sales', proxyId: 1 } })).id;
});
afterAll(async () => {
  await api.kill();
  await observer.end();
  await database.drop();
  await inbox.close();
  await rm(folder, { recursive: true, force: true });
});

const emailOf = (round: number, place: number) => `person${round}-${place}@kills.test`;

const load = (round: number) =>
  api.must(owner, importUsers, {
    body: {
      people: Array.from({ length: PEOPLE }, (_, place) => ({
        ...{ email: emailOf(round, place), name: 'Имя', surname: 'Фамилия' },
        politics: place % 2 === 0 ? [policy] : [],
      })),
    },
  });

const count = async (query: string) =>
  Number((await observer.query<{ n: number }>(`select count(*) as n ${query}`)).rows[0]?.n);

/** Counts the rows that an import has stored, and the recipients whose mail is queued or was received. */
async function stored(round: number) {
  const ours = `like 'person${round}-%'`;
  const { rows } = await observer.query<{ id: string; sealed: Buffer }>('select id, sealed from mails');
  const waiting = rows.map((row) => openMail(testEncryption, { ...row, run: '', tries: 1 })?.to ?? '');
  const mailed = [...waiting, ...inbox.mails.map(({ to }) => to)].filter((to) =>
    to.startsWith(`person${round}-`),
  );
  return {
    users: await count(`from users where email::text ${ours}`),
    links: await count(`from mail_links l join users u on u.id = l.user_id where u.email::text ${ours}`),
    policies: await count(`from policy_users l join users u on u.id = l.user_id where u.email::text ${ours}`),
    events: await count(`from audit where action = 'created' and object_name ${ours}`),
    mails: new Set(mailed).size,
    invitations: Number(
      (await observer.query(`select sum(points) as n from rate_limits where key like 'invitation:%'`)).rows[0]
        ?.n,
    ),
  };
}

async function reset() {
  await observer.query(`delete from users where email::text like 'person%'`);
  await observer.query('delete from mails');
  await observer.query('delete from rate_limits');
}

/** Waits until PostgreSQL has rolled back the transactions of the killed process. */
async function untilRolledBack(): Promise<void> {
  const busy = `from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid() and state <> 'idle'`;
  while ((await count(busy)) > 0) await sleep(10);
}

const all = {
  users: PEOPLE,
  links: PEOPLE,
  policies: PEOPLE / 2,
  events: PEOPLE,
  mails: PEOPLE,
  invitations: PEOPLE,
};
const none = { users: 0, links: 0, policies: 0, events: 0, mails: 0, invitations: 0 };

const peakMb = () =>
  Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${api.pid()}/status`, 'utf8'))?.[1]) / 1024;

test('an import of 900 users takes at most 10 s and 100 MB', async () => {
  const before = peakMb();
  const elapsed = stopwatch();
  const started = performance.now();
  expect((await load(1)).count).toBe(PEOPLE);
  const ms = elapsed();
  importMs = performance.now() - started;
  const more = peakMb() - before;
  expect(ms).toBeLessThan(10_000);
  expect(more).toBeLessThan(100);
  expect(await stored(1)).toEqual(all);
  await reset();
});

test(
  'an api killed during an import has stored all users with links, mails and audit events, or nothing',
  () =>
    threatCase('kill -9', 'an api killed during an import of users', async (tally) => {
      const seen = { all: 0, none: 0 };
      for (let kill = 0; kill < KILLS; kill++) {
        const round = kill + 2;
        const call = load(round).catch(() => null);
        // Some kills happen before the commit, and some after it.
        await sleep(Math.random() * 2 * importMs);
        await api.kill();
        await call;
        await untilRolledBack();
        const found = await stored(round);
        const isAll = found.users > 0;
        seen[isAll ? 'all' : 'none']++;
        tally.see(
          JSON.stringify(found) === JSON.stringify(isAll ? all : none),
          `after a kill: ${JSON.stringify(found)}`,
        );
        await reset();
        await api.start();
      }
      tally.note(`${KILLS} kills: all ${seen.all}, none ${seen.none}`);
    }),
  quickOrSoak(240_000, 600_000),
);
