import { connect, createServer, type Server, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import pg from 'pg';
import { afterEach, expect, inject, test } from 'vitest';
import { createLog } from '../log.ts';
import { openDb } from './open.ts';
import { watchDatabase } from './watch.ts';

let relay: Server;
const sockets = new Set<Socket>();
afterEach(async () => {
  for (const socket of sockets) socket.destroy();
  await new Promise((resolve) => relay.close(resolve));
});

/** A relay that delays connections to the database. @returns the database URL that goes through the relay */
async function behindSlowRelay(url: string, delayMs: number): Promise<string> {
  const { host, port, user, database } = new pg.Client(url);
  relay = createServer(async (caller) => {
    sockets.add(caller.pause().on('error', () => {}));
    await sleep(delayMs);
    const server = host.startsWith('/') ? connect(`${host}/.s.PGSQL.${port}`) : connect(port, host);
    sockets.add(server.on('error', () => {}));
    caller.pipe(server).pipe(caller);
  });
  await new Promise<void>((resolve) => relay.listen(0, '127.0.0.1', resolve));
  return `postgresql://${user}@127.0.0.1:${(relay.address() as { port: number }).port}/${database}`;
}

test('the watchdog tolerates a database that is slow to accept a connection', async () => {
  const opened = openDb(await behindSlowRelay(inject('serverUrl'), 1_650));
  const watch = watchDatabase(opened, createLog('silent'));
  const seen = new Set<boolean>();
  for (let looks = 0; looks < 40; looks++) {
    await sleep(100);
    seen.add(watch.isSilent());
  }
  expect([...seen]).toEqual([false]);
  expect((await sql<{ one: number }>`select 1 as one`.execute(opened.db)).rows).toEqual([{ one: 1 }]);
  watch.close();
  await opened.close();
});
