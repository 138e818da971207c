import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { asRoot } from '@propusk/test-kit/embedded/scratch';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { programs } from './debian.ts';
import { commandsOf, notRun, settingsOf } from './documented/commands.ts';

/**
 * The test runs the commands of the page about containers as they are written, on a Debian of its own. The container's only network
 * is its own loopback.
 */
const page = 'docs/operating/container.md';
const canRun =
  asRoot &&
  (['podman', 'podman-compose', 'runc', 'catatonit', 'mmdebstrap'] as const).every((name) =>
    existsSync(programs[name]),
  );
/** As podman-compose makes it from the folder. */
const name = 'server_propusk_1';
/** The commands of the page that have not run yet. */
const left = new Set(commandsOf(page).filter((command) => notRun[command] === undefined));
let scratch: string;
let env: NodeJS.ProcessEnv;
const podman = (...args: string[]) =>
  execFileSync('podman', args, { env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();

beforeAll(async () => {
  if (!canRun) return;
  scratch = mkdtempSync('/tmp/propusk-image-');
  // crun refuses the mixed cgroups of some machines; a machine's limits may be lower than podman's defaults.
  writeFileSync(
    join(scratch, 'containers.conf'),
    `[containers]\ndefault_ulimits = ["nofile=4096:4096", "nproc=4096:4096"]
[network]\nnetwork_config_dir = "${scratch}/networks"
[engine]\nruntime = "runc"\nevents_logger = "file"\ncgroup_manager = "cgroupfs"\n`,
  );
  writeFileSync(
    join(scratch, 'storage.conf'),
    `[storage]\ndriver = "overlay"\ngraphroot = "${scratch}/images"\nrunroot = "${scratch}/run"\n`,
  );
  mkdirSync(join(scratch, 'bin'));
  writeFileSync(
    join(scratch, 'bin/podman'),
    `#!/bin/sh
# The machine of the test may have no networks for containers.
case $1 in
  build) shift && set -- build --network none "$@" ;;
  run) set -- run --network none $(echo "$*" | sed -E 's/^run//; s/ (--net|--network-alias|-p) \\S+//g') ;;
esac
exec ${programs.podman} "$@"
`,
    { mode: 0o755 },
  );
  env = {
    ...process.env,
    PATH: `${scratch}/bin:${process.env.PATH}`,
    CONTAINERS_CONF: join(scratch, 'containers.conf'),
    CONTAINERS_STORAGE_CONF: join(scratch, 'storage.conf'),
  };
  documented('npm run package');
  execFileSync('mmdebstrap', ['--quiet', '--variant=minbase', 'bookworm', join(scratch, 'base.tar')]);
  podman('import', join(scratch, 'base.tar'), 'debian:bookworm-slim');
  documented('podman build');
}, 300_000);
afterAll(() => {
  if (!canRun) return;
  spawnSync('podman', ['rm', '--force', '--time', '5', name], { env });
  rmSync(scratch, { recursive: true, force: true });
});

test.skipIf(!canRun)(
  `the image serves console and gateway without root on a read-only root, and keeps its data over a restart${canRun ? '' : ' (skipped: needs root and podman)'}`,
  async () => {
    const site = 'http://crm.romashka.test:3000';
    const folder = join(scratch, 'server');
    mkdirSync(join(folder, 'certs'), { recursive: true });
    cpSync('deploy/compose.yaml', join(folder, 'compose.yaml'));
    const own = [
      'GATEWAY_ALLOW_NETWORKS=127.0.0.0/8',
      'GATEWAY_HOSTS=crm.romashka.test=127.0.0.1',
      // The gateway refuses the product's own ports but that of the echo.
      `ECHO_URL=${site}`,
      'GATEWAY_TLS_CERT=',
      'GATEWAY_TLS_KEY=',
      'GATEWAY_PLAIN=anyone',
    ];
    writeFileSync(join(folder, 'propusk.env'), [...settingsOf(page), ...own, ''].join('\n'));
    const up = documented('podman-compose up', folder);
    expect(up).toContain('-p 127.0.0.1:3000:3000 -p 3128:3128');
    await untilHealthy();
    documented('podman healthcheck');
    expect(podman('exec', name, 'sh', '-c', 'id -u; touch /x || echo refused')).toBe('10001\nrefused');
    const status = readFileSync(`/proc/${pid()}/status`, 'utf8');
    expect(status).toMatch(/Uid:\t10001\t10001/);
    expect(status).toMatch(/CapBnd:\t0+\n/);
    expect(status).toMatch(/NoNewPrivs:\t1/);

    const owner = {
      name: 'Ann',
      companyName: 'Daisy',
      companySite: 'romashka.test',
      email: 'owner@romashka.test',
      password: 'correct horse',
    };
    const { token } = call('/auth/registration', owner);
    const mailed = documented('podman-compose exec propusk propusk mail', folder);
    call('/auth/register', { token: /#token=([\w-]+)/.exec(mailed)?.[1] });
    const proxies = call('/proxy', undefined, token);
    const { id } = call('/politics', { name: 'Sales', proxyId: proxies.rows[0]?.id }, token);
    call('/domain-allowed', { address: 'crm.romashka.test:3000', politics: [id] }, token);
    const agent = { name: 'Peter', email: 'peter@romashka.test', password: 'battery staple' };
    call('/users/user-inner', { ...agent, politics: [id] }, token);
    const through = () => {
      const access = call('/me/access', undefined, call('/auth/login', agent).token);
      const login = `${access.username}:${access.password}`;
      return curl('--proxy', 'http://127.0.0.1:3128', '--proxy-user', login, `${site}/api/health`).code;
    };
    await expect.poll(through).toBe('200');
    expect(curl('--proxy', 'http://127.0.0.1:3128', `${site}/api/health`).code).toBe('407');
    expect(documented('podman-compose exec propusk propusk backup', folder)).toContain(
      '/var/backups/propusk/',
    );
    expect(documented('podman-compose exec -T', folder)).toContain('/var/backups/propusk/daily-');

    podman('stop', '--time', '30', name);
    expect(podman('inspect', '--format', '{{.State.ExitCode}}', name)).toBe('0');
    podman('start', name);
    await untilHealthy();
    await expect.poll(through).toBe('200');
    documented('podman-compose down', folder);
    expect(podman('volume', 'ls', '--quiet')).toBe('');
    expect([...left]).toEqual([]);
  },
);

/** Runs the command of the page that begins so. @returns what it printed @throws Error when it fails */
function documented(begin: string, cwd = process.cwd()): string {
  const command = commandsOf(page).find((line) => line.startsWith(begin)) ?? '';
  left.delete(command);
  const line = command
    .replace('NAME', name)
    .replaceAll('amd64', process.arch === 'x64' ? 'amd64' : process.arch);
  const { status, stdout, stderr } = spawnSync('sh', ['-c', line], { cwd, env, encoding: 'utf8' });
  expect(status, `${command}\n${stdout}${stderr}`).toBe(0);
  return stdout + stderr;
}

function pid(): string {
  // The first process of the container is catatonit; the product is its child.
  const init = podman('inspect', '--format', '{{.State.Pid}}', name);
  return readFileSync(`/proc/${init}/task/${init}/children`, 'utf8').trim().split(' ')[0] ?? '';
}

/** Waits until the image's own health check passes. Podman's timers for it need systemd. */
async function untilHealthy(): Promise<void> {
  for (let attempt = 0; attempt < 100; attempt += 1) {
    if (spawnSync('podman', ['healthcheck', 'run', name], { env }).status === 0) return;
    await sleep(300);
  }
  throw new Error(podman('logs', name));
}

/** Runs curl in the network of the container. */
function curl(...args: string[]): { code: string; body: string } {
  const { stdout } = spawnSync(
    'nsenter',
    [`--net=/proc/${pid()}/ns/net`, 'curl', '-s', '-w', '\n%{http_code}', ...args],
    { encoding: 'utf8' },
  );
  const at = stdout.lastIndexOf('\n');
  return { code: stdout.slice(at + 1), body: stdout.slice(0, at) };
}

/** The fields of the replies that the test reads. */
interface Reply {
  token: string;
  id: number;
  username: string;
  password: string;
  rows: { id: number }[];
}

function call(path: string, body?: object, token?: string): Reply {
  const data = body === undefined ? [] : ['-d', JSON.stringify(body), '-H', 'content-type: application/json'];
  const bearer = token === undefined ? [] : ['-H', `authorization: Bearer ${token}`];
  const reply = curl(...data, ...bearer, `http://127.0.0.1:3000/api${path}`);
  expect(reply.code, `${path} ${reply.body}`).toMatch(/^20/);
  return JSON.parse(reply.body || '{}');
}
