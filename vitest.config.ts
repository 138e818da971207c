import { defineConfig } from 'vitest/config';

const real = { testTimeout: 30_000, hookTimeout: 60_000 };
const launcher = 'apps/api/src/{db/embedded,faults}/**/*.db.test.ts';
const database = { ...real, include: ['apps/**/*.db.test.ts'], exclude: ['**/node_modules/**', launcher] };

/**
 * unit: neither database nor sockets. net: real sockets on loopback. launcher: the embedded PostgreSQL is started,
 * broken and killed, also under the api. db and db15: the api on a real database, the embedded one and Debian's PostgreSQL 15.
 */
export default defineConfig({
  test: {
    // A failure that was seen once has to say what it saw: "[ Array(1) ]" tells nobody.
    chaiConfig: { truncateThreshold: 0 },
    projects: [
      {
        test: {
          name: 'unit',
          include: ['{packages,apps,scripts}/**/*.test.{ts,tsx}'],
          exclude: ['**/node_modules/**', '**/*.{db,net}.test.ts'],
        },
      },
      {
        test: {
          ...real,
          name: 'net',
          include: ['{packages,apps}/**/*.net.test.ts'],
          exclude: ['**/node_modules/**'],
        },
      },
      { test: { ...real, name: 'launcher', include: [launcher], maxWorkers: 2 } },
      { test: { ...database, name: 'db', globalSetup: 'apps/api/src/testing/postgres-embedded.ts' } },
      { test: { ...database, name: 'db15', globalSetup: 'apps/api/src/testing/postgres-debian.ts' } },
    ],
  },
});
