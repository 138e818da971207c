import { expect, test, vi } from 'vitest';

const stop = vi.fn<() => Promise<void>>(async () => {});
vi.mock('./product.ts', () => ({
  startProduct: async () => ({
    consoleUrl: 'https://console.test',
    gatewayUrl: 'https://gateway.test',
    dataDir: '/data',
    makeAdminLink: () => Promise.reject(new Error('no connection')),
    failed: new Promise(() => {}),
    stop,
  }),
}));

test('a product that cannot create the ADMIN link reports the error, and runs until a signal', async () => {
  const exit = vi.spyOn(process, 'exit').mockReturnValue(undefined as never);
  const said = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
  const complained = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  const { isTTY } = process.stdout;
  process.stdout.isTTY = true;
  const ended = import('./main.ts');
  try {
    await expect.poll(() => said.mock.calls.join('')).toContain('https://console.test');
    expect(complained.mock.calls.join('')).toMatch(/Ссылка для администратора не получилась.*no connection/);
    expect([exit.mock.calls, stop.mock.calls]).toEqual([[], []]);
    process.emit('SIGTERM');
    await ended;
    expect([exit.mock.calls, stop.mock.calls]).toEqual([[[0]], [[]]]);
  } finally {
    process.stdout.isTTY = isTTY;
    vi.restoreAllMocks();
  }
});
