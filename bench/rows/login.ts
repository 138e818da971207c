import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { startDatabase } from '../api/database.ts';
import { fill } from '../api/fill.ts';
import { startLoad } from '../api/loads.ts';
import { startApi } from '../api/server.ts';
import { firstMessage, MEASURED, type Pinned, pinned } from '../harness/pinned.ts';
import { median, middleLine, type Row } from '../harness/row.ts';

/** Simultaneous sign-ins, each of another user. */
const CROWD = 100;

/** A sign-in beside its argon2id, and the effect of many sign-ins on other calls. */
export const row: Row = {
  name: 'login',
  title: 'Signing in',
  quick: false,
  run: async ({ rounds, ms }) => {
    const running: Pinned[] = [];
    const database = await startDatabase(MEASURED);
    const [load, crowd] = [await startLoad(), await startLoad()];
    try {
      const api = await startApi(database.url, running);
      const argonPath = fileURLToPath(import.meta.resolve('../api/argon.ts'));
      const argon = pinned(MEASURED, [process.execPath, argonPath], { ipc: true });
      running.push(argon);
      const { hash, password } = await firstMessage<{ hash: string; password: string }>(argon.child, 'ready');
      const pool = new pg.Pool({ connectionString: database.url, max: 1 });
      const platform = { companies: 200, sites: 1, policies: 1, owners: 200, passwordHash: hash };
      const owners = await fill(pool, platform);
      await pool.end();
      const task = { port: api.port, ours: true, owners, password };

      const [ours, alone]: [number[], number[]] = [[], []];
      for (let round = -1; round < rounds; round++) {
        const signedIn = await load.run({ ...task, call: 'login', ms: ms * 2, connections: 1 });
        argon.child.send({ ms: ms * 2 });
        const { p50 } = await firstMessage<{ p50: number }>(argon.child, 'seen');
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
          {
            what: 'A sign-in / argon2id',
            value: median(ours.map((each, i) => each / (alone[i] ?? Number.NaN))),
            bar: 1.1,
            atLeast: false,
          },
          {
            what: 'p99 of GET /me beside them',
            value: median(crowded),
            bar: 50,
            atLeast: false,
            unit: ' ms',
          },
          { what: `Of ${CROWD} who sign in at once get in`, value: least, bar: CROWD, atLeast: true },
        ],
        notes: ['Api and database on core 0, load on core 1.'],
      };
    } finally {
      await Promise.all([load.stop(), crowd.stop()]);
      for (const each of running) await each.stop();
      await database.stop();
    }
  },
};
