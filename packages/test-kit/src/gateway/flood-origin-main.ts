import { startFloodOrigin } from './flood-origin.ts';

/** Runs the flood origin in its own process, so that its load does not slow the test's clients. */
const { http, raw } = await startFloodOrigin();
process.send?.({ http, raw });
// The test process exited.
process.on('disconnect', () => process.exit(0));
