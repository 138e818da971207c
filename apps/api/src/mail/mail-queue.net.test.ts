import { createServer } from 'node:net';
import { heapLeftBy } from '@propusk/test-kit/heap';
import { quickOrSoak } from '@propusk/test-kit/threat-case';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createMailer } from './mail.ts';

/** A mail server that accepts connections and never greets. */
const silent = createServer(() => {});
beforeAll(() => new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve)));
afterAll(() => void silent.close());

test('the mailer drops mails beyond 1,000 pending ones and logs each', async () => {
  const lines: unknown[] = [];
  const log = { warn: () => {}, error: (line: unknown) => void lines.push(line) };
  const address = silent.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const mail = createMailer({ smtpUrl: `smtp://127.0.0.1:${port}`, from: 'a@b.ru', folder: '/nowhere', log });
  const count = quickOrSoak(3_000, 20_000);
  const left = heapLeftBy(() => {
    for (let i = 0; i < count; i++) {
      const text = `${i} ${'text '.repeat(2_000)}`;
      mail.send({ to: 'c@d.ru', subject: 'subject', text, html: text });
    }
  });
  expect(lines).toEqual(
    Array.from({ length: count - 1_000 }, () => ({ failure: 'too many pending mails', tries: 0 })),
  );
  expect(left).toBeLessThan(40e6);
  await mail.close();
}, 60_000);
