import { once } from 'node:events';
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect, type TLSSocket } from 'node:tls';
import { createTestDatabase } from '@propusk/test-kit/api/database';
import { startPebble } from '@propusk/test-kit/api/pebble';
import { freePort } from '@propusk/test-kit/daemon';
import { startApiProcess } from '@propusk/test-kit/gateway/api-process';
import { startFeedServer } from '@propusk/test-kit/gateway/feed-server';
import { startGatewayProcess } from '@propusk/test-kit/gateway/gateway-process';
import { startOrigin } from '@propusk/test-kit/gateway/origin';
import { authorization, company, credentials, SECRET } from '@propusk/test-kit/gateway/world';
import { expect, inject, test } from 'vitest';

/** The processes of api and gateway with certificates of a real CA that live 40 seconds. */

const TUNNELS = 200;

const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

test('the gateway gets its certificate from the api, and a renewal cuts no tunnel and fails no new one', async () => {
  await using all = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), 'propusk-renewal-'));
  all.defer(() => rm(folder, { recursive: true, force: true }));
  const database = await createTestDatabase(inject('serverUrl'));
  all.defer(database.drop);
  const [httpPort, httpsPort, apiPort, port] = [
    await freePort(),
    await freePort(),
    await freePort(),
    await freePort(),
  ];
  // The api renews in the last third of this life and looks every 10 s; the gateway reads every 5 s. 10 s remain for a busy machine.
  const ca = await startPebble({ httpPort, lifeS: 75 });
  all.defer(ca.stop);
  const origin = await startOrigin();
  all.defer(origin.stop);
  const feed = await startFeedServer(SECRET);
  all.defer(feed.stop);
  const host = `crm.company.test:${origin.port}`;
  feed.publish(company([host]));
  const shared = join(folder, 'shared');

  // The gateway first: it waits until the api has its certificate.
  const certPath = join(shared, 'gateway/cert.pem');
  const gateway = await startGatewayProcess({
    ...{ API_URL: feed.url, DATA_DIR: join(folder, 'gateway'), GATEWAY_PORT: String(port) },
    ...{ GATEWAY_TLS_CERT: certPath, GATEWAY_TLS_KEY: join(shared, 'gateway/key.pem') },
  });
  all.defer(gateway.kill);
  expect(gateway.message).toEqual({ type: 'waiting' });
  const api = await startApiProcess(apiPort, {
    ...{
      DATABASE_URL: database.url,
      SECRET_KEY: 'the sealing secret of the renewal test',
      GATEWAY_SECRET: SECRET,
    },
    ...{ DATA_DIR: join(folder, 'api'), TLS: 'auto', TLS_DIR: shared, ACME_CA: ca.caPath },
    ...{ ACME_DIRECTORY: ca.directory, HTTP_PORT: String(httpPort), HTTPS_PORT: String(httpsPort) },
    ...{ PUBLIC_URL: 'https://pass.test', GATEWAY_PUBLIC_URL: `https://gate.test:${port}` },
  });
  all.defer(api.kill);
  const root = await ca.root();
  const open = async (): Promise<TLSSocket> => {
    const socket = connect({ port, host: '127.0.0.1', servername: 'gate.test', ca: root });
    await once(socket, 'secureConnect');
    return socket;
  };
  for (let tries = 0; (await open().catch(() => null)) === null; tries++) {
    if (tries > 600) throw new Error(`no certificate: ${api.ended()} ${gateway.ended()}`);
    await sleep(200);
  }

  const head = `CONNECT ${host} HTTP/1.1\r\nHost: x\r\n${authorization(credentials(1))}\r\n`;
  let cut = 0;
  const tunnel = async (isKept: boolean) => {
    const socket = await open();
    let got = '';
    const answered = new Promise((resolve) => {
      socket.on('data', (data) => {
        got ||= String(data);
        resolve(null);
      });
    });
    socket.on('error', () => {});
    if (isKept) socket.on('close', () => (cut += 1));
    socket.write(`${head}GET /drip HTTP/1.1\r\nHost: x\r\n\r\n`);
    await Promise.race([answered, sleep(30_000)]);
    if (!isKept) socket.destroy();
    return got.startsWith('HTTP/1.1 200');
  };
  for (let each = 0; each < TUNNELS; each++) expect(await tunnel(true)).toBe(true);
  const first = await readFile(certPath, 'utf8');
  const requests: Promise<boolean>[] = [];
  // 50 a second; fewer on a busy machine, where they would pile up until the gateway's timeouts.
  let pending = 0;
  const deadline = Date.now() + 200_000;
  // 6 s more: the gateway reads its files every 5 s.
  for (let until = Number.POSITIVE_INFINITY; ; await sleep(20)) {
    if (Date.now() > deadline || (Date.now() > until && requests.length > 200)) break;
    if (pending < 10) {
      pending += 1;
      const request = tunnel(false).catch(() => false);
      requests.push(request.finally(() => (pending -= 1)));
    }
    if (until === Number.POSITIVE_INFINITY && (await readFile(certPath, 'utf8')) !== first)
      until = Date.now() + 6_000;
  }
  expect(await readFile(certPath, 'utf8')).not.toBe(first);
  const failed = (await Promise.all(requests)).filter((passed) => !passed).length;
  expect({ cut, failed }).toEqual({ cut: 0, failed: 0 });
  expect(requests.length).toBeGreaterThan(200);
  // The group of TLS_DIR reads the key.
  expect((await stat(join(shared, 'gateway/key.pem'))).mode & 0o777).toBe(0o640);
});
