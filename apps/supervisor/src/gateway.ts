import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { keepGateway } from '@propusk/gateway/keeper';
import { gatewayPhrases } from '@propusk/phrases/launcher';
import { StartError } from '@propusk/processes/start-error';
import { withSettings } from './packaged/settings-file.ts';

/**
 * `gateway.ts [SETTINGS]`: one gateway, fed by the api at API_URL, with the settings of the environment and of the file.
 * `gateway.ts --reload`: has the running one read code and settings again, without a cut connection. Unit files of release 0.1
 * start this path.
 */
const RETRY_MS = 200;
const TRIES = 50;

const control = join(process.env.DATA_DIR || './data', 'gateway-control');

/** A keeper that has just been started makes the socket in a moment. */
async function connected(): Promise<Socket> {
  for (let tries = 0; ; tries++) {
    const keeper = connect(control);
    const isThere = await once(keeper, 'connect').then(
      () => true,
      () => false,
    );
    if (isThere || tries === TRIES) return keeper;
    await sleep(RETRY_MS);
  }
}

async function reload(): Promise<number> {
  const keeper = await connected();
  let answer = '';
  keeper.setEncoding('utf8').on('data', (text) => (answer += text));
  if (!keeper.destroyed) await once(keeper, 'close').catch(() => {});
  if (answer === 'ok') return 0;
  process.stderr.write(`${answer || gatewayPhrases.notRunning()}\n`);
  return 1;
}

try {
  const settings = process.argv[2];
  const environment = () => (settings === undefined ? process.env : withSettings(settings, process.env));
  process.exit(await (settings === '--reload' ? reload() : keepGateway(control, environment)));
} catch (error) {
  if (!(error instanceof StartError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exit(1);
}
