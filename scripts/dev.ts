import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { stopOnSignals } from '@propusk/supervisor/child-process';
import { explain, startProduct } from '@propusk/supervisor/product';

/** `npm run dev`: Vite serves the console and reloads it; api and gateway start again when their code changes. */
const say = (line: string) => process.stdout.write(`${line}\n`);
const root = fileURLToPath(new URL('..', import.meta.url));
const console = 'http://127.0.0.1:5173';

try {
  const signals = stopOnSignals();
  const env = { PUBLIC_URL: console, ...process.env };
  const product = await startProduct({ env, say, watch: true, stopping: signals.first });
  const vite = spawn(process.execPath, [`${root}node_modules/vite/bin/vite.js`, '--clearScreen', 'false'], {
    cwd: `${root}apps/web`,
    // Vite ends with its input, should this process be killed.
    stdio: ['pipe', 'inherit', 'inherit'],
    env: { ...process.env, API_URL: product.apiUrl },
  });
  say(`\n  Консоль   ${console}\n  Шлюз      ${product.gatewayUrl}\n\n  Остановить: Ctrl-C\n`);
  const viteEnded = new Promise<string>((resolve) => vite.on('exit', () => resolve('Vite завершился')));
  const ended = await Promise.race([signals.first.then(() => null), product.failed, viteEnded]);
  if (ended !== null) process.stderr.write(`${ended}\n`);
  vite.kill('SIGTERM');
  await product.stop();
  process.exit(ended === null ? 0 : 1);
} catch (error) {
  process.stderr.write(`${explain(error)}\n`);
  process.exit(1);
}
