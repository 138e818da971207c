import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { buildConsole } from '@propusk/supervisor/build-console';
import { buildExtension } from '@propusk/supervisor/build-extension';
import { asRoot } from '@propusk/test-kit/embedded/scratch';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { programs } from './debian.ts';
import { architectures, buildPackage } from './package/debian.ts';
import { installModules } from './package/modules.ts';

/**
 * The test builds the image from a fresh Debian package on a Debian of its own, and runs it with the options that podman-compose
 * derives from deploy/compose.yaml. The container's only network is its own loopback.
 */
const canRun =
  asRoot &&
  (['podman', 'podman-compose', 'runc', 'catatonit', 'mmdebstrap'] as const).every((name) =>
    existsSync(programs[name]),
  );
const arch = architectures[process.arch] ?? process.arch;
const name = 'propusk-image-test';
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
  env = {
    ...process.env,
    CONTAINERS_CONF: join(scratch, 'containers.conf'),
    CONTAINERS_STORAGE_CONF: join(scratch, 'storage.conf'),
  };
  await buildConsole(() => undefined);
  await buildExtension(() => undefined);
  const modules = join(process.cwd(), '.cache/package', arch, 'modules');
  const lock = JSON.parse(readFileSync('package-lock.json', 'utf8')).packages;
  await installModules(process.arch, modules, lock);
  const parts = { version: '1.2.3', cpu: process.arch, lock, modules };
  const { path } = await buildPackage(parts, join(scratch, 'package'), 1_700_000_000, () => undefined);
  execFileSync('mmdebstrap', ['--quiet', '--variant=minbase', 'bookworm', join(scratch, 'base.tar')]);
  podman('import', join(scratch, 'base.tar'), 'debian:bookworm-slim');
  const options = ['--format', 'docker', '--network', 'none', '--tag', 'propusk'];
  const file = ['--build-arg', `PACKAGE=${basename(path)}`, '--file', 'deploy/Containerfile'];
  podman('build', ...options, ...file, join(scratch, 'package'));
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
    writeFileSync(
      join(scratch, 'propusk.env'),
      'PUBLIC_URL=http://localhost:3000\nGATEWAY_ALLOW_NETWORKS=127.0.0.0/8\nGATEWAY_HOSTS=crm.romashka.test=127.0.0.1\nBACKUP_PASSPHRASE=correct horse battery\n',
    );
    writeFileSync(join(scratch, 'compose.yaml'), readFileSync('deploy/compose.yaml'));
    podman('run', ...composeOptions(), '--name', name, '--network', 'none', 'propusk');
    await untilHealthy();
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
    await expect.poll(through, { timeout: 5000 }).toBe('200');
    expect(curl('--proxy', 'http://127.0.0.1:3128', `${site}/api/health`).code).toBe('407');
    expect(podman('exec', name, 'propusk', 'backup')).toContain('/var/backups/propusk/');

    podman('stop', '--time', '30', name);
    expect(podman('inspect', '--format', '{{.State.ExitCode}}', name)).toBe('0');
    podman('start', name);
    await untilHealthy();
    await expect.poll(through, { timeout: 5000 }).toBe('200');
  },
  90_000,
);

/** Returns the options of `podman run` for deploy/compose.yaml, except its name, network and ports. */
function composeOptions(): string[] {
  const { stdout } = spawnSync('podman-compose', ['--dry-run', 'up', '-d'], {
    cwd: scratch,
    env,
    encoding: 'utf8',
  });
  const line = stdout.split('\n').find((text) => text.startsWith('podman run --name=')) ?? '';
  expect(line).toContain('-p 127.0.0.1:3000:3000 -p 3128:3128');
  const words = line.replace(/ (?:--net|--network-alias|-p) \S+/g, '').split(' ');
  return words.slice(3, -1);
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
  return JSON.parse(reply.body);
}
