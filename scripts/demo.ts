import { randomBytes } from 'node:crypto';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gatewayKeys } from '@propusk/access/gateway-secret';
import { scriptPhrases } from '@propusk/phrases/launcher';
import { stopOnSignals } from '@propusk/supervisor/child-process';
import { explain, runCommand, say } from '@propusk/supervisor/command';
import { startProduct } from '@propusk/supervisor/product';
import { freePort } from '@propusk/test-kit/daemon';
import { installPackages } from './debian.ts';
import { admin, demoSettings, demoSites, PASSWORD } from './demo-data.ts';
import { fillDemo } from './fill-demo.ts';
import { startLockedSites } from './locked-site.ts';

/**
 * `npm run demo`: the product on a throwaway data folder with two companies, their users, and local sites that Apache
 * serves and locks to the gateway's address. Ctrl-C removes everything.
 */

/** Starts Apache with the sites. @returns null when Apache cannot be installed: the demo then runs without sites */
async function serveSites(port: number): Promise<{ stop(): Promise<void> } | null> {
  try {
    await installPackages(['apache2'], say);
  } catch (error) {
    say(scriptPhrases.sitesNotServed(explain(error)));
    return null;
  }
  return startLockedSites(port, demoSites);
}

await runCommand(async () => {
  // The demo must neither write into a real database nor use a real key.
  const { DATABASE_URL: _database, SECRET_KEY: _key, GATEWAY_SECRET: _secret, ...env } = process.env;
  const stopping = stopOnSignals();
  await using started = new AsyncDisposableStack();
  const dataDir = await mkdtemp(join(tmpdir(), 'propusk-demo-'));
  started.defer(() => rm(dataDir, { recursive: true, force: true }));
  await chmod(dataDir, 0o711);
  const port = await freePort();
  const secret = randomBytes(32).toString('base64url');
  const sites = await serveSites(port);
  if (sites !== null) started.defer(sites.stop);
  const product = await startProduct({
    env: {
      ...env,
      ...demoSettings(env.PORT ?? '3000'),
      DATA_DIR: dataDir,
      GATEWAY_SECRET: secret,
      LOG_LEVEL: process.env.LOG_LEVEL ?? 'warn',
    },
    say,
    stopping,
  });
  started.defer(product.stop);
  say(scriptPhrases.fillingDemo());
  const { owners, agent, access } = await fillDemo(product.consoleUrl, port, gatewayKeys(secret).feed);
  const proxy = `http://${access.username}:${access.password}@${access.gateway.host}:${access.gateway.port}`;
  const site = demoSites[0]?.name ?? '';
  say(
    scriptPhrases.demoRunning({
      consoleUrl: product.consoleUrl,
      password: PASSWORD,
      owners,
      agent,
      admin,
      site,
      port,
      proxy,
    }),
  );
  const failure = await Promise.race([stopping.then(() => null), product.failed]);
  if (failure !== null) process.stderr.write(`${failure}\n`);
  return failure === null ? 0 : 1;
});
