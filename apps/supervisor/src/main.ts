import { supervisorPhrases } from '@propusk/phrases/launcher';
import { stopOnSignals } from './child-process.ts';
import { explain, runCommand, say } from './command.ts';
import { startProduct } from './product.ts';

/** `npm start`: the product in the foreground, until Ctrl-C. The argument `serve` leaves the gateway to its own service. */
await runCommand(async () => {
  const stopping = stopOnSignals();
  const product = await startProduct({
    env: process.env,
    say,
    stopping,
    withoutGateway: process.argv[2] === 'serve',
  });
  // Without a terminal, standard output may be a journal, which must not contain the link.
  const link = process.stdout.isTTY ? await product.makeAdminLink().catch(withoutLink) : null;
  say(supervisorPhrases.running(product.consoleUrl, product.gatewayUrl, product.dataDir, link));
  const failure = await Promise.race([stopping.then(() => null), product.failed]);
  if (failure === null) say(supervisorPhrases.stopping());
  else process.stderr.write(`${failure}\n`);
  await product.stop();
  return failure === null ? 0 : 1;
});

/** The product keeps running when the ADMIN link cannot be created. */
function withoutLink(error: unknown): null {
  process.stderr.write(`${supervisorPhrases.noAdminLink(explain(error))}\n`);
  return null;
}
