import { stopOnSignals } from './child-process.ts';
import { explain, startProduct } from './product.ts';

/** `npm start`: the product in the foreground, until Ctrl-C. */
const say = (line: string) => process.stdout.write(`${line}\n`);

try {
  const signals = stopOnSignals();
  const product = await startProduct({ env: process.env, say, stopping: signals.first });
  say(`
  Консоль   ${product.consoleUrl}
  Шлюз      ${product.gatewayUrl}
  Данные    ${product.dataDir}

  Остановить: Ctrl-C
`);
  const ended = await Promise.race([signals.first.then(() => null), product.failed]);
  if (ended === null) say('Останавливаюсь: текущие запросы завершаются…');
  else process.stderr.write(`${ended}\n`);
  await product.stop();
  process.exit(ended === null ? 0 : 1);
} catch (error) {
  process.stderr.write(`${explain(error)}\n`);
  process.exit(1);
}
