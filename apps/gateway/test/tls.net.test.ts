import { copyFile, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect, type TLSSocket } from 'node:tls';
import { type Certificate, makeCertificate } from '@propusk/test-kit/gateway/certificate';
import { curl, raw } from '@propusk/test-kit/gateway/client';
import {
  authorization,
  company,
  credentials,
  startWorld,
  testConfig,
  until,
  type World,
} from '@propusk/test-kit/gateway/world';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createLog } from '../src/log.ts';
import { createGateway } from '../src/server.ts';

/** The gateway as an HTTPS proxy. */

const me = credentials(1);
let first: Certificate;
let second: Certificate;
let folder: string;
let world: World;
let site: string;

const paths = () => ({ cert: join(folder, 'cert.pem'), key: join(folder, 'key.pem') });

beforeAll(async () => {
  [first, second] = [await makeCertificate('IP:127.0.0.1'), await makeCertificate('IP:127.0.0.1')];
  folder = await mkdtemp(join(tmpdir(), 'propusk-tls-'));
  await copyFile(first.certPath, paths().cert);
  await copyFile(first.keyPath, paths().key);
  world = await startWorld((port) => [company([`crm.company.test:${port}`])], {
    GATEWAY_TLS_CERT: paths().cert,
    GATEWAY_TLS_KEY: paths().key,
  });
  site = `http://crm.company.test:${world.origin.port}`;
});
afterAll(async () => {
  await world[Symbol.asyncDispose]();
  await rm(folder, { recursive: true });
  await first.remove();
  await second.remove();
});

const secureCurl = (who: string, ca: Certificate, ...rest: string[]) =>
  curl(
    world.port,
    '',
    '-x',
    `https://${who === '' ? '' : `${who}@`}127.0.0.1:${world.port}`,
    '--proxy-cacert',
    ca.certPath,
    ...rest,
  );

describe('curl over TLS to the gateway', () => {
  test('curl over TLS to the gateway reaches the site in both request forms', async () => {
    expect(await secureCurl(me, first, `${site}/`)).toMatchObject({ status: 200 });
    const tunnelled = await secureCurl(me, first, '--proxytunnel', `${site}/`);
    expect(tunnelled).toMatchObject({ status: 200, connectStatus: 200 });
  });
  test('curl over TLS to the gateway gets the usual refusals', async () => {
    expect((await secureCurl('', first, `${site}/`)).status).toBe(407);
    expect((await secureCurl(credentials(2), first, '--proxytunnel', `${site}/`)).connectStatus).toBe(403);
  });
  test('curl rejects a gateway certificate that it does not trust', async () => {
    expect((await secureCurl(me, second, `${site}/`)).status).toBe(0);
  });
});

test('a client without TLS gets no reply, and the gateway keeps serving', async () => {
  const got = await raw(world.port, `GET ${site}/ HTTP/1.1\r\nHost: x\r\n${authorization(me)}\r\n`);
  expect(got).not.toContain('hello');
  expect(await secureCurl(me, first, `${site}/`)).toMatchObject({ status: 200 });
});

/** Opens a tunnel over TLS to the gateway, carrying endless content. */
async function carrying(): Promise<{ socket: TLSSocket; got: () => number }> {
  const socket = connect({ port: world.port, host: '127.0.0.1', ca: first.cert });
  let got = 0;
  socket.on('data', (data) => (got += data.length)).on('error', () => {});
  const authority = site.slice(7);
  socket.write(
    `CONNECT ${authority} HTTP/1.1\r\nHost: x\r\n${authorization(me)}\r\nGET /drip HTTP/1.1\r\nHost: x\r\n\r\n`,
  );
  await until(() => got > 200);
  return { socket, got: () => got };
}

test('a renewed certificate applies within 6 s, tunnels survive, and half a renewal changes nothing', async () => {
  const tunnel = await carrying();
  await copyFile(second.certPath, paths().cert);
  await new Promise((resolve) => setTimeout(resolve, 5_500));
  // The new certificate with the old key: the previous pair stays in use.
  expect((await secureCurl(me, first, `${site}/`)).status).toBe(200);
  await copyFile(second.keyPath, paths().key);
  let status = 0;
  for (let tries = 0; tries < 30 && status !== 200; tries++) {
    status = (await secureCurl(me, second, `${site}/`)).status;
    if (status !== 200) await new Promise((resolve) => setTimeout(resolve, 200));
  }
  expect(status).toBe(200);
  expect((await secureCurl(me, first, `${site}/`)).status).toBe(0);
  const before = tunnel.got();
  await until(() => tunnel.got() > before + 20);
  expect(tunnel.socket.destroyed).toBe(false);
  tunnel.socket.destroy();
});

test('the log and a metric tell when the certificate expires', async () => {
  const lines: string[] = [];
  const config = testConfig({
    GATEWAY_TLS_CERT: first.certPath,
    GATEWAY_TLS_KEY: first.keyPath,
    GATEWAY_METRICS_PORT: '0',
    DATA_DIR: folder,
  });
  const gateway = await createGateway(
    config,
    pino({ level: 'warn' }, { write: (line: string) => void lines.push(line) }),
  );
  await gateway.listen();
  const text = await (await fetch(`http://127.0.0.1:${gateway.metricsPort()}/metrics`)).text();
  await gateway.close(0);
  const expiry = /^propusk_gateway_certificate_expiry_timestamp_seconds (\S+)$/m.exec(text);
  // makeCertificate() makes certificates that are valid for two days.
  const inTwoDays = Date.now() / 1000 + 2 * 86_400;
  expect(Math.abs(Number(expiry?.[1]) - inTwoDays)).toBeLessThan(600);
  const warnings = lines.filter((line) => line.includes('The certificate expires soon'));
  expect(warnings).toHaveLength(1);
  expect(JSON.parse(warnings[0] ?? '')).toMatchObject({
    expires: new Date(Number(expiry?.[1]) * 1000).toISOString(),
  });
});

describe('unusable TLS files stop the start with one line', () => {
  const created = (GATEWAY_TLS_CERT: string, GATEWAY_TLS_KEY: string) =>
    createGateway(testConfig({ GATEWAY_TLS_CERT, GATEWAY_TLS_KEY, DATA_DIR: folder }), createLog('silent'));

  test('the start error names the key file that is missing', async () => {
    const line = `Файл «${folder}/none.pem» не читается (ENOENT). Проверьте настройку GATEWAY_TLS_KEY`;
    await expect(created(first.certPath, `${folder}/none.pem`)).rejects.toThrow(line);
  });
  test('the start error names a certificate file that holds no certificate', async () => {
    await writeFile(join(folder, 'odd.pem'), 'odd');
    const line = `В файле «${folder}/odd.pem» нет сертификата в виде PEM. Проверьте настройку GATEWAY_TLS_CERT`;
    await expect(created(join(folder, 'odd.pem'), first.keyPath)).rejects.toThrow(line);
  });
  test('the gateway does not start with the key of another certificate', async () => {
    await expect(created(first.certPath, second.keyPath)).rejects.toThrow('не от этого сертификата');
  });
  test('the gateway does not start with GATEWAY_TLS_CERT but without GATEWAY_TLS_KEY', () => {
    expect(() => testConfig({ GATEWAY_TLS_CERT: first.certPath })).toThrow(
      'Задана настройка GATEWAY_TLS_CERT, а GATEWAY_TLS_KEY нет: нужны обе',
    );
  });
});
