import { decide } from '@propusk/access/decide';
import { emptyIndex, putCompany } from '@propusk/access/snapshot';
import { type Asked, asked, COMPANIES, companyOf } from './large.ts';

/**
 * Times decide() and a bare look-up of the same keys in turn. It runs in its own process with --expose-gc.
 */

const rounds = Number(process.argv[2]);
const index = emptyIndex();
/** The minimum of any access rule: look up the user, then the site among those of the user's company. */
const people = new Map<number, Map<string, number>>();
for (let id = 1; id <= COMPANIES; id++) {
  const company = companyOf(id);
  putCompany(index, company);
  const sites = new Map(company.sites.map((site) => [site.address, site.id]));
  for (const user of company.users) people.set(user.id, sites);
}
const keys = asked(20_000);

let sink = 0;
// Use an indexed loop, because `for of` would allocate 40 bytes a call.
function byRule(list: readonly Asked[]): void {
  for (let i = 0; i < list.length; i++) {
    const { user, host } = list[i] as Asked;
    if (decide(index, user, host, 443, 0).allow) sink += 1;
  }
}
function byMap(list: readonly Asked[]): void {
  for (let i = 0; i < list.length; i++) {
    const { user, host } = list[i] as Asked;
    if (people.get(user)?.get(host) !== undefined) sink += 1;
  }
}
function time(run: (list: readonly Asked[]) => void): number {
  const started = performance.now();
  for (let i = 0; i < 20; i++) run(keys);
  return ((performance.now() - started) * 1e6) / 20 / keys.length;
}

for (let i = 0; i < 3; i++) {
  time(byRule);
  time(byMap);
}
const rule: number[] = [];
const map: number[] = [];
for (let i = 0; i < rounds; i++) {
  rule.push(time(byRule));
  map.push(time(byMap));
}
globalThis.gc?.();
const before = process.memoryUsage().heapUsed;
time(byRule);
const bytes = (process.memoryUsage().heapUsed - before) / keys.length / 20;
process.send?.({ type: 'timed', rule, map, bytes, sink });
