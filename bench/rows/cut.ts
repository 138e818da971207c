import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { gatewayUsername } from '@propusk/access/gateway-secret';
import { startFeedServer } from '@propusk/test-kit/gateway/feed-server';
import { clientsOf, startLoad } from '../gateway/measure.ts';
import { startGateway } from '../gateway/peers.ts';
import { COMPANIES, callers, SECRET, snapshots } from '../gateway/policy.ts';
import { firstMessage, MEASURED } from '../harness/pinned.ts';
import { type Row, short } from '../harness/row.ts';

const TUNNELS = 9_500;
/** The callers of one company, 20 users, have 950 tunnels; half of them lose their right. */
const CONCERNED = TUNNELS / 20;
const SETTLE_MS = 3_000;

/** Cuts the tunnels of ten users of one company, in a process with many more. */
export const row: Row = {
  name: 'cut',
  title: `Revocation with ${TUNNELS} open tunnels in one process`,
  quick: false,
  run: async ({ rounds }) => {
    await using started = new AsyncDisposableStack();
    const load = started.use(await startLoad());
    const feed = await startFeedServer(SECRET, { heartbeatMs: 5_000 });
    started.defer(feed.stop);
    const [company, ...others] = snapshots(load.ready.port);
    if (company === undefined) throw new Error('No company');
    for (const snapshot of [company, ...others]) feed.publish(snapshot);
    const folder = started.use(await mkdtempDisposable(join(tmpdir(), 'propusk-bench-')));
    const gateway = started.use(
      await startGateway(
        MEASURED,
        callers().map(({ site }) => site),
        {
          GATEWAY_SECRET: SECRET,
          API_URL: feed.url,
          DATA_DIR: folder.path,
          NODE_OPTIONS: `--import=${new URL('../gateway/stall.ts', import.meta.url).pathname}`,
        },
      ),
    );
    const longestStall = async () => {
      const message = firstMessage<{ ms: number }>(gateway.child, 'stall');
      gateway.child.kill('SIGUSR2');
      return (await message).ms;
    };
    const task = {
      proxy: gateway.port,
      callers: clientsOf({ name: 'ours', known: 'token' }),
      ms: 0,
      connections: TUNNELS,
    };
    const lost = new Set(
      callers()
        .filter((_, i) => i % (2 * COMPANIES) === 0)
        .map(({ username }) => username),
    );
    const lines: string[][] = [];
    const worst = { cut: 0, stall: 0 };
    let version = 1;
    const publish = (allowed: (id: number) => boolean) =>
      feed.publish({
        ...company,
        version: ++version,
        policies: company.policies.map((policy) => ({ ...policy, users: policy.users.filter(allowed) })),
      });
    for (let round = 0; round < rounds; round++) {
      publish(() => true);
      await sleep(1_000);
      const { count, fault } = await load.run({ ...task, kind: 'hold' });
      if (count < TUNNELS) throw new Error(`${count} tunnels: ${fault}`);
      await sleep(SETTLE_MS);
      await longestStall();
      await sleep(SETTLE_MS);
      const calm = await longestStall();
      const ended = load.run({ ...task, kind: 'ended', ms: SETTLE_MS });
      publish((id) => !lost.has(gatewayUsername(id)));
      const seen = await ended;
      if (seen.count !== CONCERNED) throw new Error(`${seen.count} tunnels ended`);
      const stall = await longestStall();
      lines.push([String(seen.count), short(seen.p50), short(seen.p99), short(stall), short(calm)]);
      worst.cut = Math.max(worst.cut, seen.p99);
      worst.stall = Math.max(worst.stall, stall);
      await load.run({ ...task, kind: 'release' });
    }
    return {
      tables: [
        {
          title: 'From the changed snapshot to the ended tunnels',
          head: ['ended', 'p50 ms', 'p99 ms', 'longest stall ms', 'longest stall without a change, ms'],
          lines,
        },
      ],
      ratios: [
        { what: 'p99, worst round', value: worst.cut, bar: 1_000, atLeast: false, unit: ' ms' },
        { what: 'Longest stall, worst round', value: worst.stall, bar: 20, atLeast: false, unit: ' ms' },
      ],
      notes: [`${CONCERNED} of the tunnels belong to users who lose their right; the others stay.`],
    };
  },
};
