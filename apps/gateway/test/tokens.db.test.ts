import { randomInt } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { myAccess } from '@propusk/contract/access';
import { changeOwnPassword, createPairing, login, logout, pair } from '@propusk/contract/auth';
import { openLockLink, shareLock } from '@propusk/contract/lock';
import { me } from '@propusk/contract/me';
import { createPolicy } from '@propusk/contract/policies';
import { listProxies } from '@propusk/contract/proxies';
import { register } from '@propusk/contract/registration';
import { endOtherSessions, endSession, listSessions } from '@propusk/contract/sessions';
import { createSite } from '@propusk/contract/sites';
import { createUser, deleteUser, updateUser } from '@propusk/contract/users';
import { createTestDatabase, type TestDatabase } from '@propusk/test-kit/api/database';
import { freePort } from '@propusk/test-kit/daemon';
import { type ApiProcess, startApiProcess } from '@propusk/test-kit/gateway/api-process';
import { get, statusAndReason } from '@propusk/test-kit/gateway/client';
import { type Origin, startOrigin } from '@propusk/test-kit/gateway/origin';
import { SECRET, testConfig } from '@propusk/test-kit/gateway/world';
import { quickOrSoak, type Tally, threatCase } from '@propusk/test-kit/threat-case';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { createLog } from '../src/log.ts';
import { createGateway, type Gateway } from '../src/server.ts';

/**
 * A real api and a real gateway refuse every token of a user after each event that must end it, and every
 * damaged token.
 */

const PASSWORD = 'correct horse';
let folder: string;
let database: TestDatabase;
let origin: Origin;
let api: ApiProcess;
let gateway: Gateway & { port: number };
let owner: string;
let policy: number;
let site: number;
let host: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'propusk-tokens-'));
  database = await createTestDatabase(inject('serverUrl'));
  origin = await startOrigin();
  host = `crm.company.test:${origin.port}`;
  api = await startApiProcess(await freePort(), {
    DATABASE_URL: database.url,
    SECRET_KEY: 'the sealing secret of the tokens, long enough',
    GATEWAY_SECRET: SECRET,
    DATA_DIR: join(folder, 'api'),
  });
  const started = await createGateway(
    testConfig({ API_URL: api.url, DATA_DIR: join(folder, 'gateway') }),
    createLog('silent'),
  );
  gateway = { ...started, port: await started.listen() };
  const names = { name: 'Компания', companyName: 'Компания', companySite: 'company.test' };
  const account = { ...names, email: 'owner@company.test', password: PASSWORD };
  owner = (await api.must(null, register, { body: account })).token;
  const { rows } = await api.must(owner, listProxies);
  const proxyId = rows.find(({ direct }) => direct)?.id ?? expect.fail('no default proxy');
  policy = (await api.must(owner, createPolicy, { body: { name: 'Продажи', proxyId } })).id;
  site = (await api.must(owner, createSite, { body: { address: host, politics: [policy] } })).id;
});
afterAll(async () => {
  await gateway?.close(0);
  await api?.kill();
  await origin?.stop();
  await database?.drop();
  await rm(folder, { recursive: true, force: true });
});

/** An agent with every kind of token. */
interface SlotHolder {
  readonly id: number;
  readonly email: string;
  readonly session: string;
  /** `name:password` for the gateway, which this session fetched. */
  readonly who: string;
  /** A pairing code for the extension, which this session requested. */
  readonly code: string;
}

let people = 0;
const signIn = async (email: string) =>
  (await api.must(null, login, { body: { email, password: PASSWORD } })).token;
async function holder(): Promise<SlotHolder> {
  const email = `agent${++people}@company.test`;
  const { id } = await api.must(owner, createUser, {
    body: { email, password: PASSWORD, politics: [policy] },
  });
  const session = await signIn(email);
  const { username, password } = await api.must(session, myAccess);
  const { code } = await api.must(session, createPairing);
  const made = { id, email, session, who: `${username}:${password}`, code };
  await expect.poll(() => atGateway(made.who)).toBe('200');
  expect(await atConsole(session)).toBe(200);
  return made;
}

const atGateway = async (who: string) => statusAndReason(await get(gateway.port, who, `http://${host}/`));
const atConsole = async (token: string, path = me.path) =>
  (await fetch(`${api.url}/api${path}`, { headers: { authorization: `Bearer ${token}` } })).status;
async function post(path: string, body: unknown): Promise<number> {
  const init = {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  };
  return (await fetch(`${api.url}/api${path}`, init)).status;
}

const tell = (text: string) => database.pool.query(text);
const idOf = async (token: string) =>
  (await api.must(token, listSessions)).rows.find(({ current }) => current)?.id ?? 0;

/** Events that end the tokens of a session which fetched gateway access. */
const endings: Readonly<Record<string, (who: SlotHolder) => Promise<unknown>>> = {
  'signing out': ({ session }) => api.must(session, logout),
  'ending the own session in the list': async ({ session }) =>
    api.must(session, endSession, { id: await idOf(session) }),
  'ending the session from another one': async ({ session, email }) =>
    api.must(await signIn(email), endSession, { id: await idOf(session) }),
  'ending all other sessions': async ({ email }) => api.must(await signIn(email), endOtherSessions),
  'a password change by the user': async ({ email }) => {
    const body = { currentPassword: PASSWORD, password: 'another horse' };
    await api.must(await signIn(email), changeOwnPassword, { body });
  },
  'a password change by the owner': ({ id }) =>
    api.must(owner, updateUser, { id, body: { password: 'another horse' } }),
  'an email change by the owner': ({ id, email }) =>
    api.must(owner, updateUser, { id, body: { email: `moved.${email}` } }),
  'deletion of the user': ({ id }) => api.must(owner, deleteUser, { id }),
};

const replays = quickOrSoak(40, 1_000);

async function replay(tally: Tally, { session, who, code }: SlotHolder): Promise<void> {
  // A gateway enforces a change within a second.
  await expect.poll(() => atGateway(who)).not.toBe('200');
  for (let done = 0; done < replays; done += 20) {
    const answers = await Promise.all(
      Array.from({ length: 20 }, async () => [await atConsole(session), await atGateway(who)] as const),
    );
    for (const [console, proxy] of answers) {
      tally.see(console === 401, `the console answered ${console}`);
      tally.see(/^(407|403 user_removed)/.test(proxy), `the gateway answered ${proxy}`);
    }
  }
  const redeemed = await post(pair.path, { code });
  tally.see(redeemed === 400 || redeemed === 429, `the pairing code answered ${redeemed}`);
}

describe('no token is accepted after', () => {
  test.each(Object.keys(endings))(
    'no token is accepted after %s',
    { timeout: quickOrSoak(240_000, 300_000) },
    (name) =>
      threatCase(
        'tokens',
        `replayed after ${name}: at the console, at the gateway, the pairing code`,
        async (tally) => {
          const who = await holder();
          await endings[name]?.(who);
          await replay(tally, who);
        },
      ),
  );
});

test("tokens lose the rights of a removed role, and a link to the lock's instructions ends when its creator is removed", () =>
  threatCase(
    'tokens',
    'replayed after a role was taken, and a link of somebody who is gone',
    async (tally) => {
      const chief = await holder();
      await tell(`update users set roles = '{CREATOR}' where id = ${chief.id}`);
      expect(await atConsole(chief.session, '/users/company')).toBe(200);
      const { url } = await api.must(chief.session, shareLock, { id: site });
      const token = new URL(url).hash.slice(1);
      expect(await post(openLockLink.path, { token })).toBe(200);
      await tell(`update users set roles = '{USER}' where id = ${chief.id}`);
      for (let i = 0; i < replays; i++) {
        const status = await atConsole(chief.session, '/users/company');
        tally.see(status === 403, `a call of the role answered ${status}`);
      }
      await api.must(owner, deleteUser, { id: chief.id });
      const opened = await post(openLockLink.path, { token });
      tally.see(opened === 400, `the link of somebody who is gone answered ${opened}`);
      await expect.poll(() => atGateway(chief.who)).not.toBe('200');
    },
  ));

const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

/** Damages a token; never returns the token itself. @param other another user's token of the same kind */
function mutate(token: string, other: string): string {
  const at = randomInt(token.length);
  const ways: (() => string)[] = [
    // Replace one letter. In the last position two bits are not part of the token.
    () => token.slice(0, at) + letters[randomInt(64)] + token.slice(at + 1),
    () =>
      token.slice(0, at) +
      String.fromCharCode(token.charCodeAt(at) ^ (1 << randomInt(6))) +
      token.slice(at + 1),
    () => token.slice(0, at),
    () => token.slice(at + 1),
    () => token.slice(0, at) + token.slice(at + 1),
    () => token.slice(0, at) + letters[randomInt(64)] + token.slice(at),
    () => (at % 2 ? token.toUpperCase() : token.toLowerCase()),
    () => token + '='.repeat(1 + randomInt(3)),
    () => token + letters[randomInt(64)],
    () => `${token}.${token}`,
    () => token.slice(0, at) + other.slice(at),
    () => other.slice(0, at) + token.slice(at),
    () => token.split('').toReversed().join(''),
    () => Buffer.from(token).toString('base64url'),
    () => encodeURIComponent(`${token}%00`),
  ];
  const mutated = ways[randomInt(ways.length)]?.() ?? '';
  // Skip tokens that a client cannot put into a header.
  const sendable = /^[\x21-\x7e]*$/.test(mutated) && mutated !== token && mutated !== other;
  return sendable ? mutated : mutate(token, other);
}

test('no damaged token is accepted', { timeout: quickOrSoak(240_000, 300_000) }, () =>
  threatCase(
    'tokens',
    'damaged: flipped, cut, lengthened, of two halves, in other letters',
    async (tally) => {
      const [one, two] = [await holder(), await holder()];
      const [name = '', password = ''] = one.who.split(':');
      const [otherName = '', otherPassword = ''] = two.who.split(':');
      for (let done = 0; done < quickOrSoak(1_000, 10_000); done += 50) {
        await Promise.all(
          Array.from({ length: 50 }, async () => {
            const session = mutate(one.session, two.session);
            const console = await atConsole(session);
            tally.see(console === 401, `the console answered ${console} to ${session} for ${one.session}`);
            const token = mutate(password, otherPassword);
            const proxy = await atGateway(`${name}:${token}`);
            tally.see(proxy.startsWith('407'), `the gateway answered ${proxy} to ${token} for ${password}`);
          }),
        );
      }
      // A token is refused with another user's name, and in the place of another kind of token.
      const swapped = [
        `${name}:${otherPassword}`,
        `${otherName}:${password}`,
        `${name}:${one.session}`,
        `probe:${password}`,
      ];
      for (const who of swapped) tally.see((await atGateway(who)).startsWith('407'), `${who} was let in`);
      for (const token of [password, one.code, one.who]) {
        tally.see((await atConsole(token)) === 401, `the console took ${token}`);
      }
    },
  ),
);
