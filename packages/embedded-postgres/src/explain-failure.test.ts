import { expect, test } from 'vitest';
import { explainFailure } from './explain-failure.ts';
import type { Place } from './location.ts';

test('a missing permission is quoted as PostgreSQL wrote it, also outside of the data folder', () => {
  const place = { home: '/d', base: '/d/p', cluster: '/d/p/c', user: { name: 'propusk', uid: 1 } } as Place;
  const line = 'FATAL:  could not open shared memory segment "/PostgreSQL.1": Permission denied';
  expect(explainFailure(`starting\n${line}\nshut down`, place).message).toContain(line);
});
