import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { learnEgress } from '@propusk/contract/lock';
import {
  addVantage,
  deleteVantage,
  listVantages,
  pairVantage,
  reportVantage,
  takeVantageWork,
} from '@propusk/contract/vantages';
import {
  companyBehind,
  ECHO_HOST,
  finished,
  type ProbeWorld,
  probe,
  type Site,
  startProbeWorld,
} from '@propusk/test-kit/api/probe-world';
import { startSquid, type UpstreamProxy } from '@propusk/test-kit/gateway/upstreams';
import { SITE } from '@propusk/test-kit/locks/site';
import { afterAll, afterEach, beforeAll, describe, expect, inject, test } from 'vitest';
import { queueDueChecks } from '../probe/store.ts';
import { sign } from './signature.ts';

const script = fileURLToPath(new URL('../../../web/public/vantage.sh', import.meta.url));
/** The address of the vantage. It differs from 127.0.0.1, the address of the api and of the proxy. */
const ELSEWHERE = '127.0.0.20';

let world: ProbeWorld;
let squid: UpstreamProxy;
let site: Site;
let folder: string;
let lockText: string;
beforeAll(async () => {
  world = await startProbeWorld(inject('serverUrl'));
  // Simulates a server with one IP address: the proxy connects from the address of the api.
  squid = await startSquid([ECHO_HOST, SITE], '127.0.0.1');
  site = await world.site({ allowOverride: 'AuthConfig' });
  folder = await mkdtemp(join(tmpdir(), 'vantage-'));
  const { token, id } = await company();
  const { snippets } = await world.api.must(token, learnEgress, { params: { id } });
  lockText = snippets.find(({ kind }) => kind === 'htaccess')?.text ?? '';
});
afterAll(async () => {
  await squid.stop();
  await world.close();
  await rm(folder, { recursive: true });
});

// Bounded: each test stops the programs that it started
const started = new Set<ReturnType<typeof spawn>>();
afterEach(async () => {
  for (const child of started) {
    if (child.exitCode === null && child.signalCode === null) {
      child.kill('SIGTERM');
      await once(child, 'exit');
    }
  }
  started.clear();
});

async function company() {
  const { token, add } = await companyBehind(world, { port: squid.port });
  return { token, id: await add(site.address) };
}

let homes = 0;
/** The environment of the vantage program on a simulated machine with its own address and key file. */
const machine = (more: Record<string, string> = {}) => ({
  ...process.env,
  PROPUSK_VANTAGE: join(folder, `key-${homes++}`),
  PROPUSK_INTERFACE: ELSEWHERE,
  PROPUSK_ALLOW_PRIVATE: 'yes',
  PROPUSK_PAUSE: '0',
  ...more,
});

/** Pairs a machine by the command that the console shows. */
async function pair(token: string, name: string, env = machine()) {
  const { command, id } = await world.api.must(token, addVantage, { body: { name } });
  const code = / pair \S+ (\S+) /.exec(command)?.[1] ?? '';
  const origin = `http://127.0.0.1:${world.echoUrl.port}`;
  const { stdout } = await promisify(execFile)('sh', [script, 'pair', origin, code], { env });
  expect(stdout).toContain('Точка подключена');
  return { id, env, code, origin };
}

function run(env: NodeJS.ProcessEnv): ReturnType<typeof spawn> {
  const child = spawn('sh', [script, 'run'], { env, stdio: 'ignore' });
  started.add(child);
  return child;
}

async function present(token: string): Promise<void> {
  for (let left = 100; left > 0; left--) {
    const [first] = (await world.api.must(token, listVantages)).rows;
    if (first?.present) return;
    await pause(100);
  }
  throw new Error('the vantage does not come');
}

/** Pairs a vantage without starting its program. @returns the vantage's key, and functions that send signed calls */
async function ownVantage(token: string, name: string) {
  const from = `127.0.1.${++homes}`;
  const { command } = await world.api.must(token, addVantage, { body: { name } });
  const code = / pair \S+ (\S+) /.exec(command)?.[1] ?? '';
  const { vantage, key } = await world.api.must(null, pairVantage, { body: { code }, from });
  let count = 0;
  const work = () => {
    count++;
    const signature = sign(key, ['work', vantage, count]);
    return world.api.call(null, takeVantageWork, { body: { vantage, count, signature }, from });
  };
  const report = (task: string, group: number, results: string) => {
    count++;
    const signature = sign(key, ['report', vantage, count, task, group, results]);
    return world.api.call(null, reportVantage, {
      body: { vantage, count, task, group, results, signature },
      from,
    });
  };
  return { vantage, key, work, report };
}

describe('a vantage on a machine with one address', () => {
  test('the verdict is protected if the site denies the vantage, and open if it serves the vantage', async () => {
    const { token, id } = await company();
    await site.lock(lockText);
    const alone = await probe(world.api, token, id);
    expect(alone).toMatchObject({ verdict: 'unknown', meaning: expect.stringContaining('того же адреса') });
    expect(alone.advice).toContain('точку проверки');

    const { env } = await pair(token, 'Дом');
    run(env);
    await present(token);
    const proved = await probe(world.api, token, id);
    expect(proved.meaning).toContain('точки «Дом»');
    expect(proved).toMatchObject({ verdict: 'protected', advice: null });
    expect(proved.proof).toEqual({ outside: { passed: 17, of: 17 }, through: { passed: 1, of: 1 } });
    expect(proved.steps.filter(({ title }) => title.startsWith('Снаружи'))).toEqual([]);

    await site.lock(null);
    const open = await probe(world.api, token, id);
    expect(open).toMatchObject({ verdict: 'open', meaning: expect.stringContaining('С точки «Дом»') });
    await site.lock(lockText);
  });

  test('the verdict is open if a site serves a vantage because of a spoofed header', async () => {
    const gullible = await world.site({
      allowOverride: 'AuthConfig',
      htaccess: lockText,
      host: 'RemoteIPHeader X-Forwarded-For\nRemoteIPInternalProxy 127.0.0.0/8',
    });
    const { token, add } = await companyBehind(world, { port: squid.port });
    const { env } = await pair(token, 'Дом');
    run(env);
    await present(token);
    const check = await probe(world.api, token, await add(gullible.address));
    expect(check).toMatchObject({ verdict: 'open', advice: expect.stringContaining('RemoteIPHeader') });
  });

  test('a verdict names vantages that are offline, and a returning vantage causes a new probe', async () => {
    const { token, id } = await company();
    const { env } = await pair(token, 'Телефон');
    const away = await probe(world.api, token, id);
    expect(away).toMatchObject({ verdict: 'unknown', meaning: expect.stringContaining('«Телефон»') });
    run(env);
    await present(token);
    await queueDueChecks(world.api.database.db, 20);
    expect(await finished(world.api, token, id)).toMatchObject({ verdict: 'protected' });
  });

  test('the vantage program in its run-once mode runs the waiting probes and exits', async () => {
    const { token, id } = await company();
    const { env } = await pair(token, 'Cron');
    await probe(world.api, token, id);
    const timer = setInterval(() => void queueDueChecks(world.api.database.db, 20), 500);
    await promisify(execFile)('sh', [script, 'once'], { env, timeout: 50_000 });
    clearInterval(timer);
    expect(await finished(world.api, token, id)).toMatchObject({ verdict: 'protected' });
  });

  test('the verdict is unknown when the only vantage has the address that the lock allows', async () => {
    const { token, id } = await company();
    const { env } = await pair(token, 'Та же сеть', machine({ PROPUSK_INTERFACE: '127.0.0.1' }));
    run(env);
    await present(token);
    expect(await probe(world.api, token, id)).toMatchObject({
      verdict: 'unknown',
      meaning: expect.stringContaining('с адреса точки «Та же сеть»'),
    });
  });

  test('the vantage program sends no request to a private address', async () => {
    const { token, id } = await company();
    const { env } = await pair(token, 'Осторожная', machine({ PROPUSK_ALLOW_PRIVATE: '' }));
    run(env);
    await present(token);
    expect(await probe(world.api, token, id)).toMatchObject({
      verdict: 'unknown',
      meaning: expect.stringContaining('такие не открываются'),
      advice: expect.stringContaining('PROPUSK_ALLOW_PRIVATE=yes'),
    });
  });

  test('the program of a deleted vantage exits, and the api refuses its later calls', async () => {
    const { token } = await company();
    const { id, env } = await pair(token, 'Старая');
    const child = run(env);
    await present(token);
    await world.api.must(token, deleteVantage, { params: { id } });
    expect(await once(child, 'exit')).toEqual([1, null]);
  });
});

describe('the authentication of vantage reports', () => {
  test('the verdict is open if one of two vantages gets a page and the other vantage reports a denial', async () => {
    const { token, id } = await company();
    await site.lock(null);
    const { env } = await pair(token, 'Честная');
    run(env);
    await present(token);
    const liar = await ownVantage(token, 'Лжец');
    await liar.work();
    const lying = new AbortController();
    const lies = (async () => {
      while (!lying.signal.aborted) {
        const { task, plan } = (await liar.work()).body;
        const lines = Buffer.from(plan, 'base64').toString().trim().split('\n');
        for (const group of task === '' ? [] : new Set(lines.map((line) => Number(line.split('\t')[0])))) {
          const denied = lines.map((_, step) => `${step} 0 403 1 -`).join('\n');
          await liar.report(task, group, Buffer.from(denied).toString('base64'));
        }
        await pause(100);
      }
    })();
    const check = await probe(world.api, token, id);
    lying.abort();
    await lies;
    await site.lock(lockText);
    expect(check.steps.some(({ title }) => title.startsWith('С точки «Лжец»'))).toBe(true);
    expect(check).toMatchObject({ verdict: 'open', meaning: expect.stringContaining('«Честная»') });
  });

  test('the api refuses an unsigned, forged or replayed call of a vantage', async () => {
    const { token } = await company();
    const { vantage, key, work } = await ownVantage(token, 'Дом');
    expect((await work()).status).toBe(200);
    const task = '6f1e6f0a-5d0f-4a63-9d5c-0a4f6a3f3c11';
    const from = '127.0.2.2';
    const forged = (count: number) => [
      // Calls with an empty signature, a signature by another key, and signatures for another call, counter and vantage.
      world.api.call(null, takeVantageWork, { body: { vantage, count, signature: '' }, from }),
      world.api.call(null, takeVantageWork, {
        body: { vantage, count, signature: sign('00'.repeat(32), ['work', vantage, count]) },
        from,
      }),
      world.api.call(null, takeVantageWork, {
        body: { vantage, count, signature: sign(key, ['report', vantage, count]) },
        from,
      }),
      world.api.call(null, takeVantageWork, {
        body: { vantage, count, signature: sign(key, ['work', vantage, count + 1]) },
        from,
      }),
      world.api.call(null, takeVantageWork, {
        body: { vantage: vantage + 1_000, count, signature: sign(key, ['work', vantage, count]) },
        from,
      }),
      world.api.call(null, reportVantage, {
        body: {
          vantage,
          count,
          task,
          group: 0,
          results: 'AAAA',
          signature: sign(key, ['report', vantage, count, task, 0, 'BBBB']),
        },
        from,
      }),
      // Replays the first call of the vantage.
      world.api.call(null, takeVantageWork, {
        body: { vantage, count: 1, signature: sign(key, ['work', vantage, 1]) },
        from,
      }),
    ];
    let accepted = 0;
    for (let round = 0; round < 143; round++) {
      const replies = await Promise.all(forged(round + 2));
      accepted += replies.filter(({ status }) => ![400, 401, 429].includes(status)).length;
    }
    expect(accepted).toBe(0);
    expect((await work()).status).toBe(200);
  });

  test('one pairing code pairs exactly one machine as a vantage', async () => {
    const { token } = await company();
    const { command } = await world.api.must(token, addVantage, { body: { name: 'Одна' } });
    const code = / pair \S+ (\S+) /.exec(command)?.[1] ?? '';
    const replies = await Promise.all(
      Array.from({ length: 10 }, () => world.api.call(null, pairVantage, { body: { code } })),
    );
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(replies.filter(({ status }) => status === 400)).toHaveLength(9);
  });

  test('the api refuses a report of a vantage if the task belongs to another vantage', async () => {
    const { token, id } = await company();
    const first = await ownVantage(token, 'Первая');
    await first.work();
    const second = await ownVantage((await company()).token, 'Чужая');
    const running = probe(world.api, token, id);
    let [task, plan] = ['', ''];
    while (task === '') {
      ({ task, plan } = (await first.work()).body);
      await pause(100);
    }
    const groups = new Set(
      Buffer.from(plan, 'base64')
        .toString()
        .trim()
        .split('\n')
        .map((line) => line.split('\t')[0]),
    );
    expect((await second.report(task, 0, '')).status).toBe(404);
    expect((await first.report(task, 999, '')).status).toBe(404);
    for (const group of groups) await first.report(task, Number(group), '');
    expect(await running).toMatchObject({ verdict: 'unknown' });
  });

  test("the api refuses an owner's 21st vantage", async () => {
    const { token } = await company();
    const insert = `insert into vantages (company_id, name, code_hash, code_expires_at)
      select (select company_id from users order by id desc limit 1), 'v' || n, sha256(n::text::bytea || random()::text::bytea),
        now() + interval '1 hour' from generate_series(1, 19) n`;
    await world.api.database.pool.query(insert);
    const replies = await Promise.all(
      ['а', 'б', 'в'].map((name) => world.api.call(token, addVantage, { body: { name } })),
    );
    expect(replies.map(({ status }) => status).sort((a, b) => a - b)).toEqual([200, 409, 409]);
  });
});
