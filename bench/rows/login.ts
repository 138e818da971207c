import { fill } from '../api/fill.ts';
import type { Seen, Task } from '../api/load.ts';
import { startApi, startDatabase } from '../api/servers.ts';
import { LOAD, MEASURED, startWorker } from '../harness/pinned.ts';
import { median, middleLine, type Row } from '../harness/row.ts';

/** Simultaneous sign-ins, each of another user. */
const CROWD = 100;

/** Measures a sign-in against its argon2id hash alone, and the effect of many sign-ins on other calls. */
export const row: Row = {
  name: 'login',
  title: 'Signing in',
  quick: false,
  run: async ({ rounds, ms }) => {
    await using started = new AsyncDisposableStack();
    const { url } = started.use(await startDatabase(MEASURED));
    const api = started.use(await startApi(url));
    const startLoad = async () => started.use(await startWorker<Task, Seen>(LOAD, 'api/load.ts'));
    const [load, crowd] = [await startLoad(), await startLoad()];
    const argon = started.use(
      await startWorker<{ ms: number }, { p50: number }, { hash: string; password: string }>(
        MEASURED,
        'api/argon.ts',
      ),
    );
    const { hash, password } = argon.ready;
    const owners = await fill(url, { companies: 200, sites: 1, policies: 1, passwordHash: hash });
    const task = { port: api.port, ours: true, owners, password };

    const [ours, alone]: [number[], number[]] = [[], []];
    for (let round = -1; round < rounds; round++) {
      const signedIn = await load.run({ ...task, call: 'login', ms: ms * 2, connections: 1 });
      const { p50 } = await argon.run({ ms: ms * 2 });
      if (round < 0) continue;
      ours.push(signedIn.p50);
      alone.push(p50);
    }
    const [calm, crowded]: [number[], number[]] = [[], []];
    let least = Number.POSITIVE_INFINITY;
    for (let round = 0; round < rounds; round++) {
      const me = { ...task, call: 'me', connections: 4 } as const;
      calm.push((await load.run({ ...me, ms })).p99);
      const begun = performance.now();
      const all = crowd.run({ ...task, call: 'login', ms: 0, connections: CROWD });
      const during: number[] = [];
      const state = { over: false };
      const ended = all.finally(() => {
        state.over = true;
      });
      while (!state.over) during.push((await load.run({ ...me, ms: 1_000 })).p99);
      least = Math.min(least, (await ended).count);
      crowded.push(Math.max(...during));
      if (performance.now() - begun > 120_000) throw new Error('The crowd never gets in');
    }
    const beside = median(ours.map((each, i) => each / (alone[i] ?? Number.NaN)));
    return {
      tables: [
        {
          title: 'One sign-in after another',
          head: ['', 'p50 ms', 'spread'],
          lines: [middleLine('POST /auth/login', ours), middleLine('argon2id alone', alone)],
        },
        {
          title: `GET /me, 4 connections, while ${CROWD} sign in at once`,
          head: ['', 'p99 ms', 'spread'],
          lines: [middleLine('alone', calm), middleLine('beside them', crowded)],
        },
      ],
      ratios: [
        { what: 'A sign-in / argon2id', value: beside, bar: 1.1, atLeast: false },
        { what: 'p99 of GET /me beside them, ms', value: median(crowded), bar: 50, atLeast: false },
        { what: `Of ${CROWD} who sign in at once get in`, value: least, bar: CROWD, atLeast: true },
      ],
      notes: ['Api and database on core 0, load on core 1.'],
    };
  },
};
