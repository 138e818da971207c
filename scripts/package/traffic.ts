import { existsSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { myAccess } from '@propusk/contract/access';
import { login } from '@propusk/contract/auth';
import { createPolicy } from '@propusk/contract/policies';
import { listProxies } from '@propusk/contract/proxies';
import { createSite } from '@propusk/contract/sites';
import { createUser } from '@propusk/contract/users';
import { startOrigin } from '@propusk/test-kit/gateway/origin';
import { startTraffic } from '@propusk/test-kit/gateway/traffic';
import { untilStatus } from '@propusk/test-kit/gateway/whole-product';
import { caller } from '../call.ts';

/**
 * `traffic.ts PORT GATEWAY_PORT OWNER_TOKEN STOP_FILE` plays a user with 200 tunnels and 50 requests a second. It prints `ready` once all
 * tunnels are open, and goes on until the file exists. Then it prints how many tunnels were cut and how many requests failed.
 */
const [port = '', gateway = '', owner = '', stopFile = ''] = process.argv.slice(2);
const call = caller(() => `http://127.0.0.1:${port}`);
const account = { email: 'agent@romashka.test', password: 'correct horse' };
const origin = await startOrigin();
const host = `crm.romashka.ru:${origin.port}`;
const proxyId = (await call(owner, listProxies)).rows.find(({ direct }) => direct)?.id ?? 0;
const { id } = await call(owner, createUser, { body: account });
const politics = [
  (await call(owner, createPolicy, { body: { name: 'CRM users', proxyId, users: [id] } })).id,
];
await call(owner, createSite, { body: { address: host, politics } });
const { token } = await call(null, login, { body: account });
const { username, password } = await call(token, myAccess);
const who = `${username}:${password}`;
await untilStatus(Number(gateway), who, host, '200');
const traffic = await startTraffic(Number(gateway), who, host);
process.stdout.write('ready\n');
while (!existsSync(stopFile)) await sleep(100);
const { passed, failed, cut } = await traffic.end();
process.stdout.write(`cut ${cut}, failed ${failed} of ${passed + failed > 100 ? 'many' : passed + failed}\n`);
process.exit();
