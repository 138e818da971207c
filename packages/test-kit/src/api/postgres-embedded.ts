import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openEmbedded } from '@propusk/embedded-postgres/open';
import type { TestProject } from 'vitest/node';

/** Vitest's global setup: starts the embedded PostgreSQL in a temporary folder. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const dataDir = await mkdtemp(join(tmpdir(), 'propusk-test-'));
  await chmod(dataDir, 0o711);
  const database = await openEmbedded({ dataDir });
  project.provide('serverUrl', database.url);
  return async () => {
    await database.close();
    await rm(dataDir, { recursive: true });
  };
}

declare module 'vitest' {
  interface ProvidedContext {
    /** The URL of a PostgreSQL server on which tests create their databases. */
    serverUrl: string;
  }
}
