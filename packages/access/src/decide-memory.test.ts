import { heapLeftBy } from '@propusk/test-kit/heap';
import { quickOrSoak } from '@propusk/test-kit/threat-case';
import { expect, test } from 'vitest';
import { decide } from './decide.ts';
import { canonicalHost } from './host.ts';
import { emptyIndex, putCompany } from './snapshot.ts';

const NOW = Date.parse('2026-03-02T09:00:00Z');

const index = emptyIndex();
putCompany(index, {
  companyId: 1,
  version: 1,
  users: [{ id: 10, epoch: 1 }],
  sites: [{ id: 1, address: '*.example.ru', claim: 1 }],
  proxies: [{ id: 1, type: 'default', direct: true, host: '', port: 3128, username: '', password: '' }],
  policies: [{ id: 1, proxyId: 1, allSites: false, users: [10], sites: [1] }],
});

/** Calls `decide()` with distinct hosts of many labels, because `decide()` looks up a substring of the host for each label. */
function askFor(count: number, parent: string): number {
  let allowed = 0;
  for (let i = 0; i < count; i++) {
    const host = canonicalHost(`www.x${i}.${'a.'.repeat(112)}${parent}`);
    if (host === null) throw new Error('the test made no host name');
    if (decide(index, 10, host, 443, NOW).allow) allowed++;
  }
  return allowed;
}

test.each([
  ['refused', 'nowhere.ru', 0],
  ['allowed', 'example.ru', 1],
])(
  'decisions on distinct hosts with many labels that are %s leave less than 2 MB on the heap',
  (_, parent, share) => {
    const count = quickOrSoak(6_000, 100_000);
    const left = heapLeftBy(() => expect(askFor(count, parent)).toBe(count * share));
    expect(left).toBeLessThan(2e6);
  },
);
