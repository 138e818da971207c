import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer as createPlain, type RequestListener, type Server } from 'node:http';
import { createServer as createSecure } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { checkSite } from '@propusk/contract/probe';
import { createTestDatabase, type TestDatabase } from '@propusk/test-kit/api/database';
import {
  companyBehind,
  EGRESS,
  finished,
  type ProbeWorld,
  probe,
  startLiar,
  startProbeWorld,
} from '@propusk/test-kit/api/probe-world';
import { SITE } from '@propusk/test-kit/locks/site';
import { stopwatch } from '@propusk/test-kit/stopwatch';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';

// Two api processes on one database, and a site that counts requests.
let database: TestDatabase;
let first: ProbeWorld;
let second: ProbeWorld;
beforeAll(async () => {
  database = await createTestDatabase(inject('serverUrl'));
  first = await startProbeWorld(inject('serverUrl'), { shared: database });
  second = await startProbeWorld(inject('serverUrl'), { shared: database });
});
afterAll(async () => {
  await first.close();
  await database.drop();
});

async function listening(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

/** A site that answers 200 to the proxy and 403 to other clients. */
const locked =
  (seen: string[] = []): RequestListener =>
  (request, response) => {
    seen.push(request.url ?? '');
    response.writeHead(request.socket.remoteAddress === EGRESS ? 200 : 403).end();
  };

test('with two api processes, each probe runs in only one of them', async () => {
  const seen: string[] = [];
  const site = createPlain(locked(seen));
  const port = await listening(site);
  const companies = await Promise.all(Array.from({ length: 8 }, () => companyBehind(first)));
  const ids = await Promise.all(companies.map(({ add }) => add(`${SITE}:${port}`)));
  // Each process gets two concurrent requests to probe each site.
  await Promise.all(
    ids.flatMap((id, i) =>
      [first, second, first, second].map(({ api }) =>
        api.call(companies[i]?.token ?? '', checkSite, { params: { id } }),
      ),
    ),
  );
  for (const [i, id] of ids.entries()) {
    expect(await finished(second.api, companies[i]?.token ?? '', id)).toMatchObject({ verdict: 'protected' });
  }
  // Each probe requests one random deep path once, so the number of these requests is the number of probes.
  const deep = seen.filter((path) => /^\/([0-9a-f]{12})\/\1$/.test(path));
  expect(deep).toHaveLength(ids.length);
  expect(new Set(deep).size).toBe(ids.length);
  site.close();
});

test('a site that serves TLS on an explicit port gets its verdict from https only', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'propusk-certificate-'));
  const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
  const subject = ['-subj', `/CN=${SITE}`, '-addext', `subjectAltName=DNS:${SITE}`];
  const made = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '1'];
  await promisify(execFile)('openssl', ['req', '-x509', ...made, ...subject, '-keyout', key, '-out', cert]);
  const site = createSecure({ key: await readFile(key), cert: await readFile(cert) }, locked());
  const port = await listening(site);
  const { token, add } = await companyBehind(first);
  const check = await probe(first.api, token, await add(`${SITE}:${port}`));
  expect(check).toMatchObject({ verdict: 'protected' });
  const details = check.steps.map(({ title, detail }) => `${title}: ${detail}`);
  expect(details).toContainEqual(
    expect.stringMatching(/^Снаружи, https:.*: 403, сертификат: самоподписанный$/),
  );
  expect(details).toContainEqual(expect.stringMatching(/^Снаружи, http:.*: порт работает только по HTTPS$/));
  site.close();
  await rm(folder, { recursive: true });
});

// This test runs last because it stops one of the processes.
test('a process that stops returns its running probe to the queue', async () => {
  const silent = await startLiar(() => {});
  const { token, add } = await companyBehind(second);
  const id = await add(`${SITE}:${silent.port}`);
  await second.api.must(token, checkSite, { params: { id } });
  await expect.poll(() => silent.connections()).toBeGreaterThan(0);
  const elapsed = stopwatch();
  await second.close();
  expect(elapsed()).toBeLessThan(4_000);
  const { rows } = await database.pool.query('select state, run from site_checks where site_id = $1', [id]);
  expect(rows).toEqual([{ state: 'waiting', run: null }]);
  await silent.stop();
  await first.api.must(token, checkSite, { params: { id } });
  expect(await finished(first.api, token, id)).toMatchObject({ state: 'done' });
});
