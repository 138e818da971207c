import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stopOnSignals } from '@propusk/supervisor/child-process';
import { explain, startProduct } from '@propusk/supervisor/product';
import { installPackages } from './debian.ts';
import { admin, demoSites, fillDemo, PASSWORD } from './demo-data.ts';
import { type LockedSite, startLockedSites } from './locked-site.ts';

/**
 * `npm run demo`: the product on a throwaway data folder with two companies, their people, and local sites that Apache
 * serves and locks to the gateway's address. Everything goes with Ctrl-C.
 */
const say = (line: string) => process.stdout.write(`${line}\n`);
/** Another loopback address than a browser's, so that the lock can tell the gateway from everybody else. */
const EGRESS = '127.0.0.2';
const ECHO_NAME = 'console.propusk.test';

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === 'string') throw new Error('no port');
  return address.port;
}

/** Apache with the sites; where it cannot be had the demo goes on without them and says so. */
async function serveSites(port: number): Promise<{ stop(): Promise<void> } | null> {
  try {
    await installPackages(['apache2'], say);
  } catch (error) {
    say(`Сайты не откроются. ${explain(error)}`);
    return null;
  }
  return startLockedSites(
    port,
    demoSites.map((site): LockedSite => ({ ...site, admits: EGRESS })),
  );
}

// A throwaway demo must never find its way into a real database, nor a real key into the demo.
const { DATABASE_URL: _database, SECRET_KEY: _key, GATEWAY_SECRET: _secret, ...mine } = process.env;

let dataDir: string | undefined;
let sites: Awaited<ReturnType<typeof serveSites>> = null;
let code = 0;
try {
  const signals = stopOnSignals();
  dataDir = await mkdtemp(join(tmpdir(), 'propusk-demo-'));
  await chmod(dataDir, 0o711);
  const port = await freePort();
  sites = await serveSites(port);
  const consolePort = mine.PORT ?? '3000';
  const product = await startProduct({
    env: {
      ...mine,
      // The gateway opens names alone, and has to reach the echo to learn where it leaves from.
      ECHO_URL: `http://${ECHO_NAME}:${consolePort}`,
      DATA_DIR: dataDir,
      ADMIN_EMAIL: admin,
      ADMIN_PASSWORD: PASSWORD,
      GATEWAY_EGRESS: EGRESS,
      GATEWAY_ALLOW_NETWORKS: '127.0.0.0/8',
      GATEWAY_HOSTS: [ECHO_NAME, ...demoSites.map(({ name }) => name)]
        .map((name) => `${name}=127.0.0.1`)
        .join(','),
      LOG_LEVEL: process.env.LOG_LEVEL ?? 'warn',
    },
    say,
    stopping: signals.first,
  });
  try {
    say('Наполняю примером…');
    const { owners, agent, access } = await fillDemo(product.consoleUrl, port);
    const proxy = `http://${access.username}:${access.password}@${access.gateway.host}:${access.gateway.port}`;
    say(`
  Консоль        ${product.consoleUrl}
  Пароль у всех  ${PASSWORD}

  Владельцы      ${owners.join('\n                 ')}
  Агент          ${agent}
  Администратор  ${admin}

  Сайт под замком: напрямую отвечает 403, через шлюз 200
  curl -i --resolve ${demoSites[0]?.name}:${port}:127.0.0.1 http://${demoSites[0]?.name}:${port}/
  curl -i -x ${proxy} http://${demoSites[0]?.name}:${port}/

  Остановить: Ctrl-C. Данные примера исчезнут
`);
    const ended = await Promise.race([signals.first.then(() => null), product.failed]);
    if (ended !== null) throw new Error(ended);
  } finally {
    await product.stop();
  }
} catch (error) {
  process.stderr.write(`${explain(error)}\n`);
  code = 1;
}
await sites?.stop();
if (dataDir !== undefined) await rm(dataDir, { recursive: true, force: true });
process.exit(code);
