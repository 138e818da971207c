import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { myAccess } from '@propusk/contract/access';
import { me } from '@propusk/contract/me';
import { createPolicy } from '@propusk/contract/policies';
import { listProxies } from '@propusk/contract/proxies';
import { register } from '@propusk/contract/registration';
import { createSite } from '@propusk/contract/sites';
import { setupPhrases } from '@propusk/phrases/setup';
import { listens } from '@propusk/test-kit/daemon';
import { caller } from '../call.ts';
import { makeMachine, nameCa } from './machine.ts';

/**
 * Runs the given commands in the throwaway tree of try-documented.sh, in their order, each as it is written. `npm` runs in the checkout,
 * everything else in root's home. Prints `== COMMAND`, what the command printed, and `exit CODE`.
 */
const commands = JSON.parse(process.argv[2] ?? '') as string[];
const checkout = process.cwd();
const home = '/root';
const { inbox, pebble, site } = await makeMachine();
/** The product that a command runs in its terminal until Ctrl-C. */
let product: ChildProcess | undefined;

for (const command of commands) {
  process.stdout.write(`== ${command}\n`);
  // The runner is root, and a bare Debian has no sudo.
  process.stdout.write(`exit ${await follow(command.replace(/^sudo /, ''))}\n`);
}
await pressCtrlC();
process.exit();

async function follow(command: string): Promise<number> {
  if (/^npm (start|run demo)$/.test(command)) return startProduct(command);
  if (command.startsWith('curl ')) {
    // The demo's gateway reaches only the demo's sites.
    await startProduct('npm start');
    return run(command.replace('USERNAME:PASSWORD', await credentials()));
  }
  if (command.startsWith('npm run restore')) {
    await pressCtrlC();
    return run(command, { DATA_DIR: join(home, 'restored') });
  }
  const code = await run(command);
  if (command === 'npm run package') {
    const built = join(checkout, '.cache/package', process.arch === 'x64' ? 'amd64' : process.arch);
    for (const name of readdirSync(built).filter((file) => file.endsWith('.deb')))
      copyFileSync(join(built, name), join(home, name));
  }
  if (command.startsWith('apt install ')) {
    nameCa(pebble);
    // The product is going to listen on that port of every address.
    site.close();
  }
  return code;
}

function start(line: string, env: NodeJS.ProcessEnv = {}): ChildProcess {
  const isNpm = line.startsWith('npm ');
  const child = spawn('sh', ['-c', line], {
    cwd: isNpm ? checkout : home,
    detached: true,
    env: {
      ...process.env,
      ...(isNpm && { LOG_LEVEL: 'warn', BACKUP_PASSPHRASE: 'correct horse battery' }),
      ...env,
    },
  });
  for (const stream of [child.stdout, child.stderr]) stream.pipe(process.stdout, { end: false });
  return child;
}

/** Starts the product instead of a running one, and waits until it has said where it is. @returns 0, or the exit code when it ended */
async function startProduct(line: string): Promise<number> {
  await pressCtrlC();
  product = start(line);
  let said = '';
  product.stdout?.on('data', (part: Buffer) => (said += part.toString()));
  while (!(said.includes('Ctrl-C') && (await listens(3000)) && (await listens(3128)))) {
    if (product.exitCode !== null) return product.exitCode;
    await sleep(100);
  }
  return 0;
}

/** Ends the product as an operator does. npm ends before it. */
async function pressCtrlC(): Promise<void> {
  if (product?.pid === undefined) return;
  process.kill(-product.pid, 'SIGINT');
  while ((await listens(3000)) || (await listens(3128))) await sleep(50);
  product = undefined;
}

/** Runs a command that ends. The setup gets a terminal and answers. @returns the exit code */
async function run(line: string, env: NodeJS.ProcessEnv = {}): Promise<number> {
  const asks = line.startsWith('propusk setup ');
  const child = start(asks ? `script -qec '${line}' /dev/null` : line, env);
  if (!asks) child.stdin?.end();
  const answers: [question: string, answer: string][] = [
    [setupPhrases.askSmtp(), inbox.url],
    [setupPhrases.confirm(), ''],
  ];
  let said = '';
  child.stdout?.on('data', (part: Buffer) => {
    said += part.toString();
    if (asks && answers[0] !== undefined && said.includes(answers[0][0].trim()))
      child.stdin?.write(`${answers.shift()?.[1]}\n`);
  });
  return (await once(child, 'close'))[0];
}

/** Opens the site of the page to a new company. @returns `USERNAME:PASSWORD` for the gateway */
async function credentials(): Promise<string> {
  const call = caller(() => 'http://127.0.0.1:3000');
  const names = { name: 'Daisy', companyName: 'Daisy', companySite: 'daisy.example' };
  const owner = { email: 'ann@daisy.example', password: 'correct horse' };
  const { token } = await call(null, register, { body: { ...names, ...owner } });
  const { id } = await call(token, me);
  const [proxy] = (await call(token, listProxies)).rows;
  const policy = { name: 'Sales', proxyId: proxy?.id ?? 0, users: [id] };
  const politics = [(await call(token, createPolicy, { body: policy })).id];
  await call(token, createSite, { body: { address: 'crm.example.ru', politics } });
  const { username, password } = await call(token, myAccess);
  // The gateway learns of a change within a second.
  await sleep(1_000);
  return `${username}:${password}`;
}
