import { scriptPhrases } from '@propusk/phrases/launcher';
import { buildConsole } from '@propusk/supervisor/build-console';
import { buildExtension } from '@propusk/supervisor/build-extension';
import { runCommand, say } from '@propusk/supervisor/command';

/** `npm run build`: builds what a start would build, for a service that may not write to its code. */
await runCommand(async () => {
  await buildConsole(say);
  await buildExtension(say);
  say(scriptPhrases.built());
  return 0;
});
