import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openEmbedded } from '@propusk/embedded-postgres/open';
import type { TestProject } from 'vitest/node';
import { createTemplate, run } from './database.ts';

/** Vitest's global setup: starts the embedded PostgreSQL in a temporary folder. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const dataDir = await mkdtemp(join(tmpdir(), 'propusk-test-'));
  await chmod(dataDir, 0o711);
  const database = await openEmbedded({ dataDir });
  // Nothing kills this server, so its tests need no crash safety. Only the superuser may change the setting.
  const superuser = database.url.replace(/\/\/[^@/]*@/, '//postgres@');
  await run(superuser, 'alter system set fsync = off');
  await run(superuser, 'select pg_reload_conf()');
  await createTemplate(database.url);
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
