import type { Threat } from '@propusk/test-kit/threat-case';

/** Which test files hold what against each threat (Vitest's, and Playwright's `.spec.ts`). A threat without a figure fails the soak. */
export const rowFiles: Readonly<Record<Threat, readonly string[]>> = {
  'tenant isolation': ['apps/api/test/matrix/matrix.db.test.ts'],
  'mass assignment': ['apps/api/test/mass-assignment.db.test.ts'],
  'last ADMIN and CREATOR': ['apps/api/test/matrix/cross-deletes.db.test.ts'],
  'brute force, enumeration': [
    'apps/api/src/auth/enumeration.db.test.ts',
    'apps/api/src/auth/lockout.db.test.ts',
    'apps/api/test/faults/sign-in-crowd.db.test.ts',
  ],
  tokens: ['apps/gateway/src/tokens.db.test.ts'],
  'password link': ['apps/api/src/auth/links.db.test.ts'],
  'stored proxy secrets': ['e2e/canary.spec.ts'],
  'XSS, CSP, CORS': [
    'apps/api/src/http/headers.db.test.ts',
    'e2e/hostile-text.spec.ts',
    'e2e/foreign-pages.spec.ts',
  ],
  'bad input': ['apps/api/test/fuzz.db.test.ts'],
  'slow clients': ['apps/api/test/faults/slow-clients.db.test.ts'],
  'clients that never read': [
    'apps/api/test/faults/never-read.db.test.ts',
    'apps/gateway/src/never-read.net.test.ts',
  ],
  'blast radius': ['apps/gateway/src/blast-radius.db.test.ts'],
  growth: ['apps/gateway/src/growth.db.test.ts'],
  'host spellings': ['packages/access/src/pac.test.ts'],
  'races, double submit': ['apps/api/src/http/races.db.test.ts'],
  'company delete': ['apps/api/test/faults/company-delete.db.test.ts'],
  'kill -9': ['e2e/kill.spec.ts'],
  'database away': ['apps/api/test/faults/away.db.test.ts'],
  'disk full': ['apps/api/test/faults/disk-full.db.test.ts'],
  'gateway SSRF, rebinding': ['apps/gateway/src/dial.net.test.ts'],
  'open proxy, smuggling': ['apps/gateway/src/server.net.test.ts'],
  revocation: ['apps/gateway/src/cluster.db.test.ts', 'apps/gateway/src/snapshot.test.ts'],
  extension: ['e2e/extension.spec.ts'],
};
