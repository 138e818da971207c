import { once } from 'node:events';
import http, { type IncomingMessage } from 'node:http';
import https from 'node:https';
import { setTimeout as sleep } from 'node:timers/promises';
import { readConfig } from '@propusk/api/config';
import { readConfig as readGatewayConfig } from '@propusk/gateway/config';
import { runCommand, say } from '../command.ts';
import { gatewayEnvironment } from '../gateway-environment.ts';

/**
 * `propusk answers SECONDS [api] [gateway]`: waits until the named parts of this machine answer, and prints which parts do. Exits with 1
 * when a named part does not in time.
 */

const TIMEOUT_MS = 2_000;
const config = readConfig(process.env);
// The question needs no secret: without a token the gateway answers 407.
const gateway = readGatewayConfig(gatewayEnvironment(process.env, config, 'x'.repeat(32)));

async function apiAnswers(): Promise<boolean> {
  const reply = await fetch(`${config.localUrl}/api/health`, { signal: AbortSignal.timeout(TIMEOUT_MS) });
  return reply.ok;
}

async function gatewayAnswers(): Promise<boolean> {
  const host = { '0.0.0.0': '127.0.0.1', '::': '::1' }[gateway.host] ?? gateway.host;
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  // The certificate names the public host, not this machine's address.
  const options = {
    host,
    port: gateway.port,
    path: 'http://propusk.invalid/',
    signal,
    rejectUnauthorized: false,
  };
  const request = (gateway.tls === undefined ? http : https).get(options);
  const [reply] = (await once(request, 'response')) as [IncomingMessage];
  request.destroy();
  return reply.statusCode === 407;
}

const parts: Readonly<Record<string, () => Promise<boolean>>> = { api: apiAnswers, gateway: gatewayAnswers };

await runCommand(async () => {
  const [seconds, ...wanted] = process.argv.slice(2);
  const until = Date.now() + Number(seconds) * 1000;
  for (;;) {
    const names = Object.keys(parts);
    const answers = await Promise.all(names.map((name) => parts[name]?.().catch(() => false)));
    const answering = names.filter((_, index) => answers[index]);
    const isDone = wanted.every((name) => answering.includes(name));
    if (isDone || Date.now() >= until) {
      say(answering.join(' '));
      return isDone ? 0 : 1;
    }
    await sleep(250);
  }
});
