import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { StartError } from '@propusk/embedded-postgres/start-error';
import { digest } from './build-console.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const stamp = join(root, 'apps/extension/dist/.built-from');

/**
 * Builds the extension for both browsers when its sources are not those that the last build was made from.
 * @throws StartError with the end of the build's output
 */
export async function buildExtension(say: (line: string) => void): Promise<void> {
  const sources = await digest([
    'apps/extension',
    'packages/access/src',
    'packages/contract/src',
    'package-lock.json',
  ]);
  if ((await readFile(stamp, 'utf8').catch(() => '')) === sources) return;
  say('Собираю расширение…');
  const { failed, output } = await new Promise<{ failed: boolean; output: string }>((resolve) => {
    execFile(process.execPath, [join(root, 'apps/extension/build.ts')], (error, stdout, stderr) =>
      resolve({ failed: error !== null, output: stdout + stderr }),
    );
  });
  if (failed) throw new StartError(`Расширение не собралось:\n${output.slice(-2000)}`);
  await writeFile(stamp, sources);
}

if (import.meta.main) {
  const say = (line: string) => process.stdout.write(`${line}\n`);
  try {
    await buildExtension(say);
    say('Расширение собрано: apps/extension/dist/propusk-chromium.zip и propusk-firefox.zip');
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.exit(1);
  }
}
