import { monitorEventLoopDelay } from 'node:perf_hooks';

/** Loaded into a measured gateway. At SIGUSR2 it sends the event loop's longest stall since the last signal, in milliseconds. */
const delay = monitorEventLoopDelay({ resolution: 1 });
delay.enable();
process.on('SIGUSR2', () => {
  process.send?.({ type: 'stall', ms: delay.max / 1e6 });
  delay.reset();
});
