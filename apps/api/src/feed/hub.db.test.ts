import type { ServerResponse } from 'node:http';
import { PassThrough } from 'node:stream';
import { testEncryption } from '@propusk/test-kit/api/api';
import { createTestDatabase } from '@propusk/test-kit/api/database';
import type { KyselyPlugin } from 'kysely';
import { pino } from 'pino';
import { expect, inject, test } from 'vitest';
import { createHub } from './hub.ts';

test('the hub does not mistake a policy change during its version query for a restored backup', async () => {
  const database = await createTestDatabase(inject('serverUrl'));
  const { rows } = await database.pool.query(
    `insert into companies (company_name, company_site) values ('Company', 'company.test') returning id`,
  );
  const { id } = rows[0];
  /** If not null, the result of the next statement is held back until this promise resolves. */
  let held: PromiseWithResolvers<void> | null = null;
  const reached = Promise.withResolvers<void>();
  const plugin: KyselyPlugin = {
    transformQuery: ({ node }) => node,
    async transformResult({ result }) {
      const waits = held;
      held = null;
      if (waits !== null) {
        reached.resolve();
        await waits.promise;
      }
      return result;
    },
  };
  const hub = createHub({
    db: database.db.withPlugin(plugin),
    encryption: testEncryption,
    log: pino({ enabled: false }),
    heartbeatMs: 20,
  });
  const stream = new PassThrough().setEncoding('utf8');
  let sent = '';
  stream.on('data', (text: string) => (sent += text));
  await hub.connect(stream as unknown as ServerResponse);
  await expect.poll(() => sent).toContain('event: ready');

  const released = Promise.withResolvers<void>();
  held = released;
  hub.wake(null);
  await reached.promise;
  await database.pool.query('update companies set policy_version = policy_version + 1 where id = $1', [id]);
  hub.wake(id);
  await expect.poll(() => sent.match(/event: company/g)?.length).toBe(2);
  released.resolve();
  const { length } = sent;
  await expect.poll(() => stream.writableEnded || sent.slice(length).includes('event: heartbeat')).toBe(true);
  expect(stream.writableEnded).toBe(false);
  hub.close();
  await database.drop();
});
