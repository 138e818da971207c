import { scriptPhrases } from '@propusk/phrases/launcher';
import { buildConsole } from '@propusk/supervisor/build-console';
import { buildExtension } from '@propusk/supervisor/build-extension';
import { runCommand, say } from '@propusk/supervisor/command';

/** `npm run build`: builds everything that `npm start` would build, for a service that cannot write to its code folder. */
await runCommand(async () => {
  await buildConsole(say);
  await buildExtension(say);
  say(scriptPhrases.built());
  return 0;
});
