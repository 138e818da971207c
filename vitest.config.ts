import { defineConfig } from 'vitest/config';

/**
 * unit: no database, no sockets. net: real sockets on loopback. db: a real PostgreSQL, the embedded one and, as `db15`,
 * Debian's.
 */
export default defineConfig({
  test: {
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
          name: 'net',
          include: ['apps/**/*.net.test.ts'],
          testTimeout: 30_000,
          hookTimeout: 60_000,
        },
      },
      {
        test: {
          name: 'db',
          include: ['apps/**/*.db.test.ts'],
          testTimeout: 30_000,
          hookTimeout: 60_000,
        },
      },
    ],
  },
});
