import { startFloodOrigin } from './flood-origin.ts';

/** The flood origin as a process: its load must not be measured as that of the test's own clients. */
const { http, raw } = await startFloodOrigin();
process.send?.({ http, raw });
// The test died.
process.on('disconnect', () => process.exit(0));
