import { setTimeout as sleep } from 'node:timers/promises';
import { readConfig } from '@propusk/api/config';
import { checkConsole, checkGateway } from '@propusk/api/state/network-checks';
import { runCommand, say } from '../command.ts';

/**
 * `propusk answers SECONDS [api] [gateway]`: waits until the named parts of this machine answer, and prints which parts do. Exits with 1
 * when a named part does not in time.
 */
await runCommand(async () => {
  const [seconds, ...wanted] = process.argv.slice(2);
  const until = Date.now() + Number(seconds) * 1000;
  const asked = { config: readConfig(process.env), env: process.env };
  for (;;) {
    const found = await Promise.all([checkConsole(asked), checkGateway(asked)]);
    const answering = ['api', 'gateway'].filter((_, at) => found[at]?.[0]?.level === 'ok');
    const isDone = wanted.every((name) => answering.includes(name));
    if (isDone || Date.now() >= until) {
      say(answering.join(' '));
      return isDone ? 0 : 1;
    }
    await sleep(250);
  }
});
