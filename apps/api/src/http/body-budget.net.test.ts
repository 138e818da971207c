import { once } from 'node:events';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { limits } from '@propusk/contract/limits';
import fastify, { type FastifyRequest } from 'fastify';
import { expect, test } from 'vitest';
import { bodyBudget } from './body-budget.ts';
import { answerError } from './error-reply.ts';

test('large bodies share a memory budget, and a closed connection releases its part', async () => {
  const app = fastify();
  app.setErrorHandler(answerError);
  const reserve = bodyBudget(2 * limits.body);
  app.addHook('onRequest', async (request, reply) => reserve(request, reply));
  app.post('/', async () => 'read');
  await app.listen({ port: 0, host: '127.0.0.1' });
  const { port } = app.server.address() as AddressInfo;
  const sockets: Socket[] = [];
  /** Sends a head and part of a body. @returns the status of the response, null without one */
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
  // The server has not noticed the closed connection yet.
  await expect.poll(() => send(large, '{')).toBe(null);
  for (const socket of sockets) socket.destroy();
  await app.close();
});

test('a client that disconnects before the memory reservation does not use up the budget', async () => {
  const app = fastify();
  app.setErrorHandler(answerError);
  const reserve = bodyBudget(limits.body);
  // Simulates a slow token lookup.
  app.addHook('onRequest', async (request, reply) => {
    await sleep(50);
    reserve(request, reply);
  });
  app.post('/', async () => 'read');
  await app.listen({ port: 0, host: '127.0.0.1' });
  const { port } = app.server.address() as AddressInfo;
  const head = `POST / HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: ${limits.body}\r\n\r\n`;
  for (let i = 0; i < 3; i++) {
    const socket = connect(port, '127.0.0.1');
    await once(socket, 'connect');
    socket.write(head);
    await sleep(20);
    socket.destroy();
    await sleep(80);
  }
  const whole = connect(port, '127.0.0.1');
  whole.write(`${head}"${'a'.repeat(limits.body - 2)}"`);
  const [data] = await once(whole, 'data');
  expect(String(data).slice(9, 12)).toBe('200');
  whole.destroy();
  await app.close();
});

test('one user may upload at most four large bodies at once', async () => {
  const app = fastify();
  app.setErrorHandler(answerError);
  const reserve = bodyBudget(16 * limits.body);
  app.addHook('onRequest', async (request, reply) => {
    request.actor = { userId: Number(request.headers.person) } as FastifyRequest['actor'];
    reserve(request, reply);
  });
  app.post('/', async () => 'read');
  await app.listen({ port: 0, host: '127.0.0.1' });
  const { port } = app.server.address() as AddressInfo;
  const sockets: Socket[] = [];
  const send = async (person: number) => {
    const socket = connect(port, '127.0.0.1');
    sockets.push(socket);
    await once(socket, 'connect');
    socket.write(
      `POST / HTTP/1.1\r\nhost: x\r\nperson: ${person}\r\ncontent-type: application/json\r\ncontent-length: ${limits.body}\r\n\r\n{`,
    );
    const answered = once(socket, 'data').then(([data]) => String(data).slice(9, 12));
    return Promise.race([answered, sleep(150).then(() => null)]);
  };
  for (let i = 0; i < 4; i++) expect(await send(1)).toBe(null);
  expect(await send(1)).toBe('503');
  expect(await send(2)).toBe(null);
  for (const socket of sockets) socket.destroy();
  await app.close();
});
