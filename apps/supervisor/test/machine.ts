import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import https from 'node:https';
import type { Server } from 'node:net';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { parseEnv } from 'node:util';
import { workerData } from 'node:worker_threads';
import { readConfig } from '@propusk/api/config';
import { readConfig as readGatewayConfig } from '@propusk/gateway/config';
import { createLog } from '@propusk/gateway/log';
import { createGateway } from '@propusk/gateway/server';
import { gatewayEnvironment } from '../src/gateway-environment.ts';

/**
 * A worker thread that plays systemd and the two services for setup-modes.net.test.ts, because setup blocks its own thread while a command
 * runs. The gateway is the real one, on loopback; the console is a stub that answers the health check. Stand-ins for systemctl and journalctl post their arguments here.
 */
export interface Machine {
  /** The path of the settings file. The test writes `fault.json` to the same folder. */
  readonly path: string;
  /** The port to which the stand-ins for systemctl and journalctl post. */
  readonly port: number;
  /** The certificate that the CA of TLS=auto issues. */
  readonly issued: { readonly cert: string; readonly key: string };
}
/** A simulated fault of the services. It applies while the text of the settings file differs from `sound`. */
export interface Fault {
  readonly sound: string;
  readonly kind: string;
  readonly issued?: Machine['issued'];
}
const { path, port, issued } = workerData as Machine;
const secret = '-'.repeat(32);
let servers: Server[] = [];
let gateway: { close(): Promise<void> } | undefined;
let isGatewayActive = false;
/** GATEWAY_HOST of the serving gateway. */
let host: string | undefined;

const settings = (): NodeJS.ProcessEnv => ({
  ...parseEnv(readFileSync(path, 'utf8')),
  DATA_DIR: dirname(path),
});
const faultNow = () => JSON.parse(readFileSync(join(dirname(path), 'fault.json'), 'utf8')) as Fault;
const has = (kind: string) => faultNow().kind === kind && readFileSync(path, 'utf8') !== faultNow().sound;

async function stopConsole(): Promise<void> {
  for (const server of servers) {
    server.close();
    (server as http.Server).closeAllConnections();
  }
  servers = [];
}

async function startConsole(): Promise<void> {
  const config = readConfig(settings());
  const { tls } = config;
  if (has('silent')) return;
  const answer: http.RequestListener = (_, reply) => {
    reply.setHeader('connection', 'close');
    if (has('ill')) reply.writeHead(503).end('{"status":"unavailable"}');
    else reply.end(has('foreign') ? 'hi' : '{"status":"ok"}');
  };
  servers.push(http.createServer(answer).listen(config.port, '127.0.0.1'));
  if (tls !== undefined) {
    const pair = (has('chain') && faultNow().issued) || issued;
    const files = [tls.console, tls.gateway].filter((each) => each !== undefined);
    for (const each of tls.acme === undefined || has('not issued') ? [] : files) {
      mkdirSync(dirname(each.cert), { recursive: true });
      writeFileSync(each.cert, pair.cert);
      writeFileSync(each.key, pair.key);
    }
    const own = tls.acme === undefined ? filesOf(tls.console) : has('not issued') ? {} : pair;
    servers.push(https.createServer(own, answer).listen(tls.httpsPort, '127.0.0.1'));
  }
  for (const server of servers) if (!server.listening) await once(server, 'listening');
}
const filesOf = ({ cert, key }: { cert: string; key: string }) => ({
  cert: readFileSync(cert, 'utf8'),
  key: readFileSync(key, 'utf8'),
});

/** Starts a gateway with the current settings. @returns false for a refused reload; the former gateway then continues */
async function takeOver(isReload: boolean): Promise<boolean> {
  const { GATEWAY_HOST } = settings();
  // A reload cannot change the address, because the keeper process of a real gateway holds the former socket.
  if (has('refused') || (isReload && isGatewayActive && GATEWAY_HOST !== host)) return false;
  host = GATEWAY_HOST;
  await stopGateway();
  isGatewayActive = true;
  if (has('gone')) return true;
  const env = settings();
  const config = readGatewayConfig(gatewayEnvironment(env, readConfig(env), secret));
  const started = await createGateway({ ...config, host: '127.0.0.1', processes: 1 }, createLog('silent'));
  await started.listen();
  gateway = started;
  return true;
}
async function stopGateway(): Promise<void> {
  await gateway?.close();
  gateway = undefined;
  isGatewayActive = false;
}

/** @returns the output; null when the command fails */
async function obey(command: string): Promise<string | null> {
  if (command.startsWith('-q')) return `{"level":50,"fault":"the logged fault"}\n`;
  const [verb = '', ...rest] = command.replace('--quiet ', '').split(' ');
  const isGateway = rest.at(-1) === 'propusk-gateway.service';
  if (verb === 'is-active') return (isGateway ? isGatewayActive : servers.length > 0) ? '' : null;
  if (verb === 'stop') await (isGateway ? stopGateway() : stopConsole());
  else if (isGateway) return (await takeOver(verb.startsWith('reload'))) ? '' : null;
  else if (verb === 'restart' || (verb === 'start' && servers.length === 0)) {
    await stopConsole();
    if (has('failed')) return null;
    await startConsole();
  }
  return '';
}

let queue: Promise<unknown> = Promise.resolve();
const control = http.createServer(async (request, reply) => {
  const command = await text(request);
  const done = queue.then(() => obey(command));
  queue = done.catch(() => {});
  const output = await done.catch((error: unknown) => (process.stderr.write(`${String(error)}\n`), null));
  reply.writeHead(output === null ? 500 : 200).end(output ?? '');
});
control.listen(port, '127.0.0.1');
