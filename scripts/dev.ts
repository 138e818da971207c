import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { scriptPhrases } from '@propusk/phrases/launcher';
import { stopOnSignals } from '@propusk/supervisor/child-process';
import { runCommand, say } from '@propusk/supervisor/command';
import { startProduct } from '@propusk/supervisor/product';

/** `npm run dev`: Vite serves and reloads the console; api and gateway restart when their code changes. */
const root = fileURLToPath(new URL('..', import.meta.url));
const consoleUrl = 'http://127.0.0.1:5173';

await runCommand(async () => {
  const stopping = stopOnSignals();
  const env = { PUBLIC_URL: consoleUrl, ...process.env };
  const product = await startProduct({ env, say, watch: true, stopping });
  const vite = spawn(process.execPath, [`${root}node_modules/vite/bin/vite.js`, '--clearScreen', 'false'], {
    cwd: `${root}apps/web`,
    // Vite exits when its standard input closes, so it does not outlive this process.
    stdio: ['pipe', 'inherit', 'inherit'],
    env: { ...process.env, API_URL: product.apiUrl },
  });
  say(scriptPhrases.devRunning(consoleUrl, product.gatewayUrl));
  const viteEnded = new Promise<string>((resolve) =>
    vite.on('exit', () => resolve(scriptPhrases.viteEnded())),
  );
  const failure = await Promise.race([stopping.then(() => null), product.failed, viteEnded]);
  if (failure !== null) process.stderr.write(`${failure}\n`);
  vite.kill('SIGTERM');
  await product.stop();
  return failure === null ? 0 : 1;
});
