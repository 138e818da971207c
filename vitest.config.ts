import { globSync } from 'node:fs';
import { defineConfig } from 'vitest/config';
import { isInTurn } from './packages/test-kit/src/turns.ts';

// As npm commands set it (start.mjs). Workers and the programs that they start inherit it.
process.env.NODE_COMPILE_CACHE ??= `${import.meta.dirname}/node_modules/.cache/compiled`;

/** Timeouts that hold on a busy machine with one core. A passing test never waits for them. */
const patient = {
  testTimeout: 240_000,
  hookTimeout: 240_000,
  expect: { poll: { timeout: 60_000, interval: 20 } },
};
/** Tests with sockets, processes and clocks. CI retries one that failed, as it does in a browser, and reports it as FLAKY. */
const real = { ...patient, retry: process.env.CI === 'true' ? 1 : 0 };
const launcher = '{packages/embedded-postgres/src,apps/api/test/faults}/**/*.db.test.ts';
/** What takes long with statements that other files bring to both databases. */
const once = [
  'apps/api/test/{fuzz,mass-assignment,matrix/{matrix,plans}}.db.test.ts',
  'apps/api/src/{audit/whole,probe/checks,probe/laboratory,probe/random-trees,lock/lock,vantage/{vantage,random-trees}}.db.test.ts',
  'apps/api/src/identity/{enumeration,factor,factor-required,links,sessions}.db.test.ts',
  'apps/api/src/http/{headers,json,limits}.db.test.ts',
  'apps/gateway/test/{blast-radius,cluster,growth,reverse-proxy,tokens}.db.test.ts',
];
/** Files whose statements depend on the version of PostgreSQL. The others run on the second database in turn. */
const always = /\/(migrate|upgrade|list|reaper|feed|backup)\.db\.test\.ts$/;
const outOfTurn = globSync('apps/**/*.db.test.ts', { exclude: ['**/node_modules/**'] })
  .toSorted()
  .filter((file, place) => !always.test(file) && !isInTurn(place));
/** Measurements under load, which `npm run everything` and `npm run soak` make. */
const heavy =
  process.env.TEST_PART === undefined
    ? []
    : [
        'apps/gateway/test/{blast-radius,growth}.db.test.ts',
        'apps/gateway/test/{never-read,stalled-tunnels}.net.test.ts',
        'apps/api/test/faults/{never-read,sign-in-crowd}.db.test.ts',
      ];
/** Files that mostly wait, for deadlines and for processes. `npm test` runs them beside the others. */
const waiting = [
  'apps/api/src/{db/watch,http/graceful-shutdown,http/implement,probe/harmless,vantage/vantage}.{db,net}.test.ts',
  'apps/api/test/faults/{away,slow-clients}.db.test.ts',
  'apps/gateway/test/{access-log-shipping,failover,probe,processes,silent-names,timeouts,tls}.net.test.ts',
  'apps/gateway/src/{main,policy/feed,tunnel/protocol-sniffer}.net.test.ts',
  'apps/gateway/src/records/{access-records,record-log,record-sender}.net.test.ts',
  'apps/supervisor/src/{gateway-keeper,setup/setup}.net.test.ts',
  'apps/gateway/test/{certificate-renewal,reverse-proxy}.db.test.ts',
  'apps/api/src/certificates/certificates.db.test.ts',
  'packages/embedded-postgres/src/crash.db.test.ts',
  'scripts/package.net.test.ts',
];
/** Builds a Debian and an image, for a minute or more: runs in turn. */
const image = 'scripts/image.net.test.ts';
const exclude = ['**/node_modules/**', ...heavy, ...waiting, image];
const database = { ...real, include: ['apps/**/*.db.test.ts'], exclude: [...exclude, launcher] };

/**
 * unit: neither database nor sockets. waiting: the files that mostly wait, five at once. net: real sockets on loopback.
 * launcher: the embedded PostgreSQL is started, broken and killed, also under the api. db and db15: the api on a real database, the
 * embedded one and Debian's PostgreSQL 15.
 */
export default defineConfig({
  test: {
    // Tests that measure time begin to fail when more than two files run at once.
    maxWorkers: 2,
    // A failure that was seen once has to say what it saw: "[ Array(1) ]" tells nobody.
    chaiConfig: { truncateThreshold: 0 },
    projects: [
      {
        test: {
          ...patient,
          name: 'unit',
          include: ['{packages,apps,scripts}/**/*.test.{ts,tsx}'],
          exclude: ['**/node_modules/**', '**/*.{db,net}.test.ts'],
        },
      },
      {
        test: {
          ...real,
          name: 'net',
          include: ['{packages,apps,scripts}/**/*.net.test.ts'],
          exclude,
        },
      },
      { test: { ...real, name: 'launcher', include: [launcher], exclude } },
      {
        test: {
          ...real,
          name: 'waiting',
          include: isInTurn(0) ? [...waiting, image] : waiting,
          globalSetup: 'packages/test-kit/src/api/postgres-embedded.ts',
          maxWorkers: 5,
          // Vitest runs projects with different numbers of workers one after the other.
          sequence: { groupOrder: 1 },
        },
      },
      { test: { ...database, name: 'db', globalSetup: 'packages/test-kit/src/api/postgres-embedded.ts' } },
      {
        test: {
          ...database,
          name: 'db15',
          exclude: [...database.exclude, ...once, ...outOfTurn],
          globalSetup: 'packages/test-kit/src/api/postgres-debian.ts',
        },
      },
    ],
  },
});
