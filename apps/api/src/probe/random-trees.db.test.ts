import {
  companyBehind,
  EGRESS,
  type ProbeWorld,
  probe,
  startProbeWorld,
} from '@propusk/test-kit/api/probe-world';
import { randomTree, startTree } from '@propusk/test-kit/lab/random-tree';
import { judge } from '@propusk/test-kit/lab/report';
import { measure } from '@propusk/test-kit/lab/truth';
import { OUTSIDE } from '@propusk/test-kit/locks/curl';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';

/** Probes random sites that are open to strangers for some folders and file extensions. Their verdict must not be `protected`. */

/** TEST_PART selects 25 of the sites. `npm test` derives TEST_PART from the number of commits. TREE_SEED selects one site. */
const part = process.env.TEST_PART;
const one = process.env.TREE_SEED;
const seeds =
  one === undefined
    ? Array.from({ length: part === undefined ? 200 : 25 }, (_, index) => index + Number(part ?? 0) * 25)
    : [Number(one)];

const nameOf = (seed: number) => `tree-${seed}.example.test`;
const addressOf = (seed: number) => `127.0.1.${1 + (seed % 250)}`;

let world: ProbeWorld;
beforeAll(async () => {
  world = await startProbeWorld(inject('serverUrl'), {
    hosts: new Map(seeds.map((seed) => [nameOf(seed), [addressOf(seed)]])),
  });
});
afterAll(() => world.close());

describe.concurrent('the verdict on a random site', () => {
  test.each(seeds)('the verdict on random site %i agrees with the responses to strangers', async (seed) => {
    const random = randomTree(seed);
    const site = await startTree(random, nameOf(seed), addressOf(seed), EGRESS);
    try {
      const truth = await measure(site.target, { stranger: OUTSIDE, user: EGRESS });
      expect(truth.missing).toEqual([]);
      const company = await companyBehind(world);
      const id = await company.add(site.target.site);
      const { verdict } = await probe(world.api, company.token, id);
      const open = [...random.open].join(', ');
      expect(judge(truth, verdict ?? 'none'), `TREE_SEED=${seed}; open classes: ${open}`).toBeNull();
    } finally {
      await site.stop();
    }
  });
});
