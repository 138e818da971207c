import type { TestProject } from 'vitest/node';
import { startPostgres } from '../gateway/postgres-pair.ts';
import { createTemplate } from './database.ts';

/** Vitest's global setup: starts Debian's PostgreSQL 15 with a cluster in a temporary folder. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const { primary, remove } = await startPostgres(['-c', 'fsync=off']);
  const url = `postgresql://propusk@127.0.0.1:${primary.port}/postgres`;
  await createTemplate(url);
  project.provide('serverUrl', url);
  return remove;
}
