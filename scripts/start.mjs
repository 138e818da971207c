// The entry of every npm command. It runs on the machine's Node before any dependency is installed: on 20 or newer, or on an
// older one where the runtime is installed already. It must parse on Node 18. It installs the locked dependencies, which
// include the Node 24 runtime, and runs the command's script on that runtime.
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/**
 * These phrases are not in packages/phrases, because no package can be imported before the installation.
 */
const phrases = {
  notStarted: (program, reason) => `Не запускается ${program}: ${reason}`,
  stopFirst: (pid) =>
    `Пропуск работает из этой папки (процесс ${pid}), а установка заменит его файлы: сначала остановите его`,
  installing: 'Устанавливаю зависимости…',
  notInstalled: 'Зависимости не установились: проверьте сеть и место на диске, причина выше. Затем повторите',
  needsNode24: (platform) => `Для ${platform} нужен Node.js 24 или новее: установите его и повторите`,
  needsNode20: (version) =>
    `Нужен Node.js 20 или новее, а это ${version}. На сервере поставьте пакет propusk_*.deb: в нём своя среда Node (docs/operating/debian.md)`,
  noCommand: (wanted, known) => `Нет команды ${wanted}. Есть: ${known.join(', ')}`,
};

const root = fileURLToPath(new URL('..', import.meta.url));
const packaged = `${root}/node_modules/node-${process.platform}-${process.arch}/bin/node`;
const major = Number(process.versions.node.split('.')[0]);
let interrupted = false;
const commands = {
  start: 'apps/supervisor/src/main',
  api: 'apps/supervisor/src/api',
  gateway: 'apps/supervisor/src/gateway',
  build: 'scripts/build',
  package: 'scripts/package',
  dev: 'scripts/dev',
  demo: 'scripts/demo',
  check: 'scripts/check',
  test: 'scripts/test',
  soak: 'scripts/soak',
  lines: 'scripts/lines',
  docs: 'scripts/openapi/write',
  tour: 'e2e/support/tour',
  lighthouse: 'e2e/support/lighthouse',
  backup: 'apps/supervisor/src/backup/backup-command',
  restore: 'apps/supervisor/src/backup/restore-command',
  bench: 'bench/run',
  'build:extension': 'apps/supervisor/src/build-extension',
};

/** Prints one line for the operator and exits with 1. */
function fail(line) {
  process.stderr.write(`\n${line}\n`);
  process.exit(1);
}

/** Runs a program in this terminal. @returns its exit code; 1 when a signal ended it */
function run(program, args, options = {}) {
  return new Promise((resolve) => {
    const child = spawn(program, args, { cwd: root, stdio: 'inherit', ...options });
    // Forward signals: a terminal sends them to the child too, but a process manager sends them only to
    // this process.
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
      process.on(signal, () => {
        interrupted = true;
        child.kill(signal);
      });
    }
    child.on('error', (error) => fail(phrases.notStarted(program, error.message)));
    child.on('exit', (code) => resolve(code ?? 1));
  });
}

/** Installs the locked dependencies, unless the stamp shows that this lock file is installed. */
async function install() {
  const lock = createHash('sha256')
    .update(readFileSync(`${root}/package-lock.json`))
    .digest('hex');
  const stamp = `${root}/node_modules/.propusk-installed`;
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === lock) return;
  const running = runningProduct();
  if (running !== null) {
    fail(phrases.stopFirst(running));
  }
  process.stdout.write(`${phrases.installing}\n`);
  // This process may run on a Node inside node_modules, which the installation replaces. npm_node_execpath survives it.
  const npm = process.env.npm_execpath;
  const node = process.env.npm_node_execpath ?? process.execPath;
  const quiet = ['ci', '--include=dev', '--include=optional', '--no-audit', '--no-fund', '--loglevel=error'];
  const code = npm
    ? await run(node, [npm, ...quiet])
    : await run('npm', quiet, { shell: process.platform === 'win32' });
  if (interrupted) process.exit(130);
  if (code !== 0) fail(phrases.notInstalled);
  writeFileSync(stamp, lock);
}

/** @returns the pid of a product that runs from this folder, or null. It needs /proc, so it finds none outside Linux */
function runningProduct() {
  const noted = `${process.env.DATA_DIR || `${root}/data`}/propusk.pid`;
  if (!existsSync(`${root}/node_modules`) || !existsSync(noted)) return null;
  const pid = readFileSync(noted, 'utf8').trim().split(' ')[0];
  const command = `/proc/${pid}/cmdline`;
  return existsSync(command) && readFileSync(command, 'utf8').includes(root) ? pid : null;
}

/** @returns the path of the packaged Node, or of this one when it is 24 or newer */
function runtime() {
  if (existsSync(packaged)) return packaged;
  if (major >= 24) return process.execPath;
  return fail(phrases.needsNode24(`${process.platform}-${process.arch}`));
}

const name = process.argv[2] ?? 'start';
const script = commands[name];
if (!script) fail(phrases.noCommand(name, Object.keys(commands)));
// npm of an older Node may be too old for the installation, but it is not needed once the runtime is there.
if (major < 20 && !existsSync(packaged)) fail(phrases.needsNode20(process.version));
await install();
const env = {
  // Node's compile cache saves a fifth of the start time. In a read-only folder Node runs without it.
  NODE_COMPILE_CACHE: `${root}/node_modules/.cache/compiled`,
  ...process.env,
  PATH: `${root}/node_modules/.bin:${process.env.PATH}`,
};
// When this process is killed, the IPC channel closes, and the script stops.
const stdio = ['inherit', 'inherit', 'inherit', 'ipc'];
process.exit(await run(runtime(), [`${root}/${script}.ts`, ...process.argv.slice(3)], { env, stdio }));
