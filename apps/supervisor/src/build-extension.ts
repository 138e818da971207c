import { supervisorPhrases } from '@propusk/phrases/launcher';
import { buildOnce } from './build-console.ts';
import { runCommand, say } from './command.ts';

/** Builds the extension for both browsers into apps/extension/dist. @throws StartError */
export function buildExtension(onProgress: (line: string) => void): Promise<void> {
  return buildOnce('apps/extension', {
    sources: ['packages/access/src', 'packages/contract/src', 'packages/phrases/src'],
    command: ['apps/extension/build.ts'],
    onStart: () => onProgress(supervisorPhrases.buildingExtension()),
    refusal: supervisorPhrases.extensionNotBuilt,
  });
}

if (import.meta.main) {
  await runCommand(async () => {
    await buildExtension(say);
    say(supervisorPhrases.extensionBuilt());
    return 0;
  });
}
