// The door of every npm command. It must run under the machine's own Node 20, before anything is installed: it brings
// the locked dependencies (the Node 24 runtime among them) and hands over to a script that runs on that runtime.
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
let interrupted = false;
const commands = {
  start: 'apps/supervisor/src/main',
  api: 'apps/supervisor/src/api',
  gateway: 'apps/supervisor/src/gateway',
  build: 'scripts/build',
  dev: 'scripts/dev',
  demo: 'scripts/demo',
  check: 'scripts/check',
  test: 'scripts/test',
  soak: 'scripts/soak',
  inventory: 'scripts/inventory',
  tour: 'e2e/tour',
  lighthouse: 'e2e/lighthouse',
  backup: 'apps/supervisor/src/backup/backup-command',
  restore: 'apps/supervisor/src/backup/restore-command',
  bench: 'bench/run',
  'build:extension': 'apps/supervisor/src/build-extension',
};

/** Ends the command with one line that says what to do. */
function fail(line) {
  process.stderr.write(`\n${line}\n`);
  process.exit(1);
}

/** Runs a program to its end with our own terminal. @returns its exit code, 1 when a signal ended it */
function run(program, args, options = {}) {
  return new Promise((resolve) => {
    const child = spawn(program, args, { cwd: root, stdio: 'inherit', ...options });
    // A terminal sends Ctrl-C to the child as well, a process manager only to us. We stay until it has ended.
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
      process.on(signal, () => {
        interrupted = true;
        child.kill(signal);
      });
    }
    child.on('error', (error) => fail(`Не запускается ${program}: ${error.message}`));
    child.on('exit', (code) => resolve(code ?? 1));
  });
}

/** Installs what the lock file names, unless this very lock file was installed here before. */
async function install() {
  const lock = createHash('sha256')
    .update(readFileSync(`${root}/package-lock.json`))
    .digest('hex');
  const stamp = `${root}/node_modules/.propusk-installed`;
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === lock) return;
  const running = runningProduct();
  if (running !== null) {
    fail(
      `Пропуск работает из этой папки (процесс ${running}), а установка заменит его файлы: сначала остановите его`,
    );
  }
  process.stdout.write('Устанавливаю зависимости…\n');
  // npm tells its own path; the Node that runs it stays when node_modules, and so perhaps our own, is laid anew.
  const npm = process.env.npm_execpath;
  const node = process.env.npm_node_execpath ?? process.execPath;
  const quiet = ['ci', '--include=dev', '--include=optional', '--no-audit', '--no-fund', '--loglevel=error'];
  const code = npm
    ? await run(node, [npm, ...quiet])
    : await run('npm', quiet, { shell: process.platform === 'win32' });
  if (interrupted) process.exit(130);
  if (code !== 0)
    fail('Зависимости не установились: проверьте сеть и место на диске, причина выше. Затем повторите');
  writeFileSync(stamp, lock);
}

/** The pid of a product that runs on our modules: a new installation would pull them from under it. Linux knows it. */
function runningProduct() {
  const noted = `${process.env.DATA_DIR || `${root}/data`}/propusk.pid`;
  if (!existsSync(`${root}/node_modules`) || !existsSync(noted)) return null;
  const pid = readFileSync(noted, 'utf8').trim().split(' ')[0];
  const command = `/proc/${pid}/cmdline`;
  return existsSync(command) && readFileSync(command, 'utf8').includes(root) ? pid : null;
}

/** The runtime that came with the dependencies, or this one where it is new enough. */
function runtime() {
  const packaged = `${root}/node_modules/node-${process.platform}-${process.arch}/bin/node`;
  if (existsSync(packaged)) return packaged;
  if (Number(process.versions.node.split('.')[0]) >= 24) return process.execPath;
  return fail(
    `Для ${process.platform}-${process.arch} нужен Node.js 24 или новее: установите его и повторите`,
  );
}

const name = process.argv[2] ?? 'start';
const script = commands[name];
if (!script) fail(`Нет команды ${name}. Есть: ${Object.keys(commands).join(', ')}`);
if (Number(process.versions.node.split('.')[0]) < 20)
  fail(`Нужен Node.js 20 или новее, а это ${process.version}`);
await install();
const env = {
  // What Node has compiled once it reads from here: a fifth of a start. Where it may not write it does without.
  NODE_COMPILE_CACHE: `${root}/node_modules/.cache/compiled`,
  ...process.env,
  PATH: `${root}/node_modules/.bin:${process.env.PATH}`,
};
// The channel tells the script that we are gone, should we be killed: nothing may live on unwatched.
const stdio = ['inherit', 'inherit', 'inherit', 'ipc'];
process.exit(await run(runtime(), [`${root}/${script}.ts`, ...process.argv.slice(3)], { env, stdio }));
