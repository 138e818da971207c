import { buildConsole } from '@propusk/supervisor/build-console';
import { buildExtension } from '@propusk/supervisor/build-extension';
import { explain } from '@propusk/supervisor/product';

/** `npm run build`: all that a start would build, so that a service may run on a folder that it cannot write to. */
try {
  const say = (line: string) => process.stdout.write(`${line}\n`);
  await buildConsole(say);
  await buildExtension(say);
  say('Собрано: консоль и расширение. Дальше: npm start, npm run api или npm run gateway');
} catch (error) {
  process.stderr.write(`${explain(error)}\n`);
  process.exit(1);
}
