import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { checkProxy, listProxies } from '@propusk/contract/proxies';
import { createLog } from '@propusk/gateway/log';
import { createGateway, type Gateway } from '@propusk/gateway/server';
import { GATEWAY_SECRET } from '@propusk/test-kit/api/api';
import { ECHO_HOST, type ProbeWorld, startProbeWorld } from '@propusk/test-kit/api/probe-world';
import { freePort } from '@propusk/test-kit/daemon';
import { type Certificate, makeCertificate } from '@propusk/test-kit/gateway/certificate';
import { testConfig } from '@propusk/test-kit/gateway/world';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';

// The gateway is an HTTPS proxy at this name.
const GATE = 'gate.example.test';
const EGRESS = '127.0.0.6';
let world: ProbeWorld;
let gateway: Gateway;
let certificate: Certificate;
let folder: string;
beforeAll(async () => {
  const port = await freePort();
  certificate = await makeCertificate(`DNS:${GATE}`);
  world = await startProbeWorld(inject('serverUrl'), {
    settings: {
      gatewayUrl: new URL(`https://${GATE}:${port}`),
      hosts: new Map([
        [GATE, ['127.0.0.1']],
        [ECHO_HOST, ['127.0.0.1']],
      ]),
    },
  });
  folder = await mkdtemp(join(tmpdir(), 'propusk-secure-gateway-'));
  gateway = await createGateway(
    testConfig({
      GATEWAY_PORT: String(port),
      GATEWAY_SECRET,
      GATEWAY_HOSTS: `${ECHO_HOST}=127.0.0.1`,
      GATEWAY_EGRESS: EGRESS,
      GATEWAY_TLS_CERT: certificate.certPath,
      GATEWAY_TLS_KEY: certificate.keyPath,
      API_URL: 'http://127.0.0.1:9',
      DATA_DIR: folder,
    }),
    createLog('silent'),
  );
  await gateway.listen();
});
afterAll(async () => {
  await gateway.close(0);
  await world.close();
  await certificate.remove();
  await rm(folder, { recursive: true, force: true });
});

async function check() {
  const { token } = await world.api.company();
  const { rows } = await world.api.must(token, listProxies);
  const id = rows.find(({ direct }) => direct)?.id ?? 0;
  return world.api.must(token, checkProxy, { params: { id } });
}

test('a probe sends no token to an HTTPS gateway with an untrusted certificate', async () => {
  expect(await check()).toMatchObject({
    reachable: false,
    egress: [],
    problem: expect.stringContaining('Сертификат'),
  });
});

test('a probe passes through an HTTPS gateway with a trusted certificate', async () => {
  const before = getCACertificates('default');
  setDefaultCACertificates([...before, certificate.cert]);
  try {
    expect(await check()).toMatchObject({
      reachable: true,
      credentialsAccepted: true,
      egress: [EGRESS],
      problem: null,
    });
  } finally {
    setDefaultCACertificates(before);
  }
});
