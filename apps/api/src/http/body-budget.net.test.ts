import { once } from 'node:events';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { limits } from '@propusk/contract/limits';
import fastify from 'fastify';
import { expect, test } from 'vitest';
import { bodyBudget } from './body-budget.ts';
import { answerError } from './errors.ts';

test('large bodies that are being read share a budget, small ones are read beside them, and a gone one is free', async () => {
  const app = fastify();
  app.setErrorHandler(answerError);
  const reserve = bodyBudget(2 * limits.body);
  app.addHook('onRequest', async (request, reply) => reserve(request, reply));
  app.post('/', async () => 'read');
  await app.listen({ port: 0, host: '127.0.0.1' });
  const { port } = app.server.address() as AddressInfo;
  const sockets: Socket[] = [];
  /** Sends a head and the beginning of a body. @returns the status of the answer, null while there is none */
  const send = async (length: string, body: string): Promise<string | null> => {
    const socket = connect(port, '127.0.0.1');
    sockets.push(socket);
    await once(socket, 'connect');
    socket.write(`POST / HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n${length}\r\n\r\n${body}`);
    const answered = once(socket, 'data').then(([data]) => String(data).slice(9, 12));
    return Promise.race([answered, sleep(200).then(() => null)]);
  };
  const large = `content-length: ${limits.body}`;
  expect(await send(large, '{')).toBe(null);
  expect(await send('transfer-encoding: chunked', '1\r\n{\r\n')).toBe(null);
  expect(await send(large, '{')).toBe('503');
  expect(await send('transfer-encoding: chunked', '1\r\n{\r\n')).toBe('503');
  expect(await send('content-length: 2', '{}')).toBe('200');
  sockets[0]?.destroy();
  await sleep(50);
  expect(await send(large, '{')).toBe(null);
  for (const socket of sockets) socket.destroy();
  await app.close();
});
