import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { expect, test } from '@playwright/test';
import { freePort } from '@propusk/test-kit/daemon';
import { startLockedSites } from '../../scripts/locked-site.ts';
import { endProduct, type RunningProduct, startProduct } from '../support/product.ts';

/** Runs the session of docs/api.md verbatim, on a running product and a site that admits only the gateway. */
const EGRESS = '127.0.0.2';
const SITE = 'crm.romashka.test';
const run = promisify(execFile);
let product: RunningProduct;
let sites: { stop(): Promise<void> };
let sitePort: number;

test.beforeAll(async () => {
  sitePort = await freePort();
  sites = await startLockedSites(sitePort, [{ name: SITE, title: 'Клиенты', admits: EGRESS }]);
  product = await startProduct(() => ({
    GATEWAY_EGRESS: EGRESS,
    GATEWAY_HOSTS: `${SITE}=127.0.0.1`,
    GATEWAY_ALLOW_NETWORKS: '127.0.0.0/8',
  }));
});

test.afterAll(async () => {
  await endProduct(product);
  await sites.stop();
});

test('the curl session of docs/api.md registers a company, grants access to a site, and revokes it', async () => {
  const text = await readFile(new URL('../../docs/api.md', import.meta.url), 'utf8');
  const blocks = [...text.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, block]) => block);
  expect(blocks).toHaveLength(7);
  const { stdout } = await run('bash', ['-c', blocks.join('\n')], {
    env: { ...process.env, API: `${product.consoleUrl}/api`, SITE: `http://${SITE}:${sitePort}` },
    timeout: 60_000,
  });
  expect(stdout.trim().split('\n')).toEqual([
    expect.stringMatching(/^\d+$/),
    expect.stringMatching(/^\[\{"id":\d+,"name":"Отдел продаж"\}\]$/),
    expect.stringMatching(/^\[\{"id":\d+,"name":"Отдел продаж","until":null\}\]$/),
    'with the policy: 200',
    '[]',
    'without it: 403',
  ]);
});
