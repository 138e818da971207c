import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { StartError } from '@propusk/embedded-postgres/start-error';
import { supervisorPhrases } from '@propusk/phrases/launcher';
import { digest } from './build-console.ts';
import { runCommand, say } from './command.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const stamp = join(root, 'apps/extension/dist/.built-from');

/**
 * Builds the extension for both browsers, unless its sources are unchanged since the last build, or absent,
 * as in the Debian package.
 * @throws StartError with the last 2,000 characters of the build's output
 */
export async function buildExtension(onProgress: (line: string) => void): Promise<void> {
  if (!existsSync(join(root, 'apps/extension/src'))) return;
  const sources = await digest([
    'apps/extension',
    'packages/access/src',
    'packages/contract/src',
    'packages/phrases/src',
    'package-lock.json',
  ]);
  if ((await readFile(stamp, 'utf8').catch(() => '')) === sources) return;
  onProgress(supervisorPhrases.buildingExtension());
  const { failed, output } = await new Promise<{ failed: boolean; output: string }>((resolve) => {
    execFile(process.execPath, [join(root, 'apps/extension/build.ts')], (error, stdout, stderr) =>
      resolve({ failed: error !== null, output: stdout + stderr }),
    );
  });
  if (failed) throw new StartError(supervisorPhrases.extensionNotBuilt(output.slice(-2000)));
  await writeFile(stamp, sources);
}

if (import.meta.main) {
  await runCommand(async () => {
    await buildExtension(say);
    say(supervisorPhrases.extensionBuilt());
    return 0;
  });
}
