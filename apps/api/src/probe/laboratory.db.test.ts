import { parseNetworks } from '@propusk/dial/addresses';
import {
  companyBehind,
  EGRESS,
  type ProbeWorld,
  probe,
  startProbeWorld,
} from '@propusk/test-kit/api/probe-world';
import { layouts } from '@propusk/test-kit/lab/layouts/index';
import { judge, matrix, mistake, type Row } from '@propusk/test-kit/lab/report';
import { recordsOf, startLayout } from '@propusk/test-kit/lab/servers';
import { measure } from '@propusk/test-kit/lab/truth';
import { OUTSIDE } from '@propusk/test-kit/locks/curl';
import { isInTurn } from '@propusk/test-kit/turns';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';

/**
 * Probes sites with many web server configurations. For each configuration, an independent client measures which URLs strangers
 * can read. The verdict of the probe must agree with this measurement.
 */

let world: ProbeWorld;
const rows: Row[] = [];
beforeAll(async () => {
  world = await startProbeWorld(inject('serverUrl'), {
    hosts: new Map(layouts.flatMap(recordsOf)),
    settings: { allowNetworks: parseNetworks('127.0.0.0/22,::1/128') ?? { v4: [], v6: [] } },
  });
});
afterAll(async () => {
  await world.close();
  rows.sort((a, b) => layouts.indexOf(a.layout) - layouts.indexOf(b.layout));
  process.stdout.write(`\n${matrix(rows)}`);
});

/** Adds a site by the text that an owner would paste, such as a URL. */
async function addSite(company: Awaited<ReturnType<typeof companyBehind>>, pasted: string): Promise<number> {
  return company.add(pasted);
}

const turn = [...layouts.entries()].filter(([index]) => isInTurn(index));

describe.concurrent('the verdict of a probe', () => {
  test.each(turn.map(([index, layout]) => [layout.name, layout, index] as const))(
    'the verdict of %s agrees with what strangers and users get',
    async (_, layout, index) => {
      const running = await startLayout(layout, index, [EGRESS]);
      try {
        const truth = await measure(running.target, { stranger: OUTSIDE, user: EGRESS });
        expect(mistake(layout, truth)).toBeNull();
        const company = await companyBehind(world);
        const id = await addSite(company, running.pasted);
        const { verdict } = await probe(world.api, company.token, id);
        const wrong = judge(truth, verdict ?? 'none', layout.wanted);
        rows.push({ layout, truth, verdict: verdict ?? 'none', wrong });
        expect(wrong).toBeNull();
      } finally {
        await running.stop();
      }
    },
  );
});
