import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Loaded into a gateway before it starts: at SIGUSR2 it collects all garbage and sends the bytes of heap in use. */
setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;
process.on('SIGUSR2', () => {
  collect();
  process.send?.({ type: 'collected', heap: process.memoryUsage().heapUsed });
});
