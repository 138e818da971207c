import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { stopOnSignals } from './children.ts';
import { explain, startProduct } from './product.ts';

/** `npm run dev`: Vite serves the console and reloads it; api and gateway start again when their code changes. */
const say = (line: string) => process.stdout.write(`${line}\n`);
const root = fileURLToPath(new URL('..', import.meta.url));
const console = 'http://127.0.0.1:5173';

try {
  const signals = stopOnSignals();
  const env = { PUBLIC_URL: console, ...process.env };
  const product = await startProduct({ env, say, watch: true, stopping: signals.first });
  const vite = spawn(process.execPath, [`${root}node_modules/vite/bin/vite.js`], {
    cwd: `${root}apps/web`,
    stdio: ['ignore', 'inherit', 'inherit'],
    env: { ...process.env, API_URL: product.apiUrl },
  });
  say(`\n  Консоль   ${console}\n  Шлюз      ${product.gatewayUrl}\n\n  Остановить: Ctrl-C\n`);
  await Promise.race([signals.first, product.failed, new Promise((resolve) => vite.on('exit', resolve))]);
  vite.kill('SIGTERM');
  await product.stop();
  process.exit(0);
} catch (error) {
  process.stderr.write(`${explain(error)}\n`);
  process.exit(1);
}
