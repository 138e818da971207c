import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { Agent, get } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort, listens } from '../daemon.ts';
import { makeCertificate } from '../gateway/certificate.ts';
import { requireProgram } from '../gateway/client.ts';
import { startNameServer } from '../gateway/dns.ts';

/** A real ACME server: Let's Encrypt's pebble. Every name leads to 127.0.0.1. */
export interface Pebble {
  readonly directory: string;
  /** The CA of the directory's own HTTPS: PEM text and file. */
  readonly ca: string;
  readonly caPath: string;
  /** The port to which the CA sends HTTP-01. */
  readonly httpPort: number;
  /** PEM: the root of the issued certificates. */
  root(): Promise<string>;
  stop(): Promise<void>;
}

export interface PebbleOptions {
  readonly httpPort: number;
  /** Where the directory listens; a free port unless given. */
  readonly port?: number;
  /** The lifetime of issued certificates, in seconds. */
  readonly lifeS?: number;
  /** Names that the CA refuses. */
  readonly refused?: readonly string[];
  /** Percent of requests answered with badNonce. */
  readonly badNonces?: number;
}

/** Starts pebble. @throws Error when the Debian package is missing or it does not answer */
export async function startPebble(options: PebbleOptions): Promise<Pebble> {
  requireProgram('/usr/bin/pebble', 'pebble');
  const { httpPort, lifeS = 90 * 86_400, refused = [], badNonces = 5 } = options;
  const own = await makeCertificate('IP:127.0.0.1');
  const names = await startNameServer(() => ['127.0.0.1']);
  const [port, management] = [options.port ?? (await freePort()), await freePort()];
  const folder = await mkdtemp(join(tmpdir(), 'propusk-pebble-'));
  const config = join(folder, 'config.json');
  const pebble = {
    listenAddress: `127.0.0.1:${port}`,
    managementListenAddress: `127.0.0.1:${management}`,
    certificate: own.certPath,
    privateKey: own.keyPath,
    httpPort,
    tlsPort: httpPort,
    domainBlocklist: refused,
    certificateValidityPeriod: lifeS,
  };
  await writeFile(config, JSON.stringify({ pebble }));
  const env = { PEBBLE_VA_NOSLEEP: '1', PEBBLE_WFE_NONCEREJECT: String(badNonces), PEBBLE_AUTHZREUSE: '0' };
  const args = ['--pdeathsig', 'TERM', '/usr/bin/pebble', '-config', config, '-dnsserver', names.address];
  const child = spawn('setpriv', args, { env: { PATH: process.env.PATH, ...env }, stdio: 'ignore' });
  const ended = once(child, 'exit');
  for (let tries = 0; !((await listens(port)) && (await listens(management))); tries++) {
    if (tries > 200 || child.exitCode !== null) throw new Error('pebble does not answer');
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return {
    directory: `https://127.0.0.1:${port}/dir`,
    ca: own.cert,
    caPath: own.certPath,
    httpPort,
    root: () => read(`https://127.0.0.1:${management}/roots/0`, own.cert),
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.kill('SIGTERM');
      await ended;
      await Promise.all([names.stop(), own.remove(), rm(folder, { recursive: true, force: true })]);
    },
  };
}

async function read(url: string, ca: string): Promise<string> {
  const [response] = await once(get(url, { agent: new Agent({ ca }) }), 'response');
  let text = '';
  for await (const chunk of response) text += String(chunk);
  return text;
}
