import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { addVantage, listVantages } from '@propusk/contract/vantages';
import { createAdmin } from '@propusk/test-kit/api/admin';
import {
  companyBehind,
  ECHO_HOST,
  type ProbeWorld,
  probe,
  startProbeWorld,
} from '@propusk/test-kit/api/probe-world';
import { startSquid, type UpstreamProxy } from '@propusk/test-kit/gateway/upstreams';
import { randomTree, startTree } from '@propusk/test-kit/lab/random-tree';
import { judge } from '@propusk/test-kit/lab/report';
import { measure } from '@propusk/test-kit/lab/truth';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';

/**
 * Probes randomly generated sites that have at most six kinds of responses. The api and the proxy share one
 * IP address, which the lock allows. Only the vantage has an address that the lock denies.
 */

const script = fileURLToPath(new URL('../../../web/public/vantage.sh', import.meta.url));
const ELSEWHERE = '127.0.0.20';
/** The address of both the api and the proxy. */
const OWN = '127.0.0.1';
/**
 * TEST_PART selects 8 of the 60 sites. `npm test` derives TEST_PART from the number of commits, so successive
 * commits test different sites.
 */
const part = process.env.TEST_PART;
const seeds = Array.from(
  { length: part === undefined ? 60 : 8 },
  (_, index) => index + Number(part ?? 0) * 8,
);
const nameOf = (seed: number) => `tree-${seed}.example.test`;
const addressOf = (seed: number) => `127.0.2.${1 + seed}`;

let world: ProbeWorld;
let squid: UpstreamProxy;
let folder: string;
let vantage: ReturnType<typeof spawn>;
beforeAll(async () => {
  const hosts = seeds.map((seed) => [nameOf(seed), addressOf(seed)] as const);
  world = await startProbeWorld(inject('serverUrl'), {
    hosts: new Map(hosts.map(([name, address]) => [name, [address]])),
  });
  squid = await startSquid([ECHO_HOST, ...hosts], OWN);
  folder = await mkdtemp(join(tmpdir(), 'vantage-trees-'));
  const env = {
    ...process.env,
    ...{ PROPUSK_VANTAGE: join(folder, 'key'), PROPUSK_INTERFACE: ELSEWHERE },
    ...{ PROPUSK_ALLOW_PRIVATE: 'yes', PROPUSK_PAUSE: '0' },
  };
  const admin = await createAdmin(world.api);
  const { command } = await world.api.must(admin, addVantage, { body: { name: 'Дача' } });
  const code = / pair \S+ (\S+) /.exec(command)?.[1] ?? '';
  await promisify(execFile)('sh', [script, 'pair', `http://${OWN}:${world.echoUrl.port}`, code], { env });
  vantage = spawn('sh', [script, 'run'], { env, stdio: 'ignore' });
  const isPresent = async () => (await world.api.must(admin, listVantages)).rows[0]?.present === true;
  while (!(await isPresent())) await sleep(100);
});
afterAll(async () => {
  vantage.kill('SIGTERM');
  await once(vantage, 'exit');
  await squid.stop();
  await world.close();
  await rm(folder, { recursive: true });
});

test.each(seeds)('the verdict on random site %i agrees with the responses to the vantage', async (seed) => {
  const random = randomTree(seed, 6);
  const site = await startTree(random, nameOf(seed), addressOf(seed), OWN);
  try {
    const truth = await measure(site.target, { stranger: ELSEWHERE, user: OWN });
    const company = await companyBehind(world, { port: squid.port });
    const { verdict } = await probe(world.api, company.token, await company.add(site.target.site));
    const open = [...random.open].join(', ');
    expect(judge(truth, verdict ?? 'none'), `seed ${seed}; open classes: ${open}`).toBeNull();
  } finally {
    await site.stop();
  }
});
