import { statistics } from '@propusk/contract/records';
import { expect, it, vi } from 'vitest';
import { call, callIn } from './call.ts';

it('a call whose signal is already aborted sends no request, and rejects with the reason', async () => {
  const send = vi.fn<typeof fetch>().mockResolvedValue(Response.json({}));
  vi.stubGlobal('fetch', send);
  callIn({ bearer: () => 'token', renewed: () => Promise.resolve(false) });
  const query = { from: '2026-03-01T00:00:00Z', to: '2026-03-02T00:00:00Z', step: 'hour' } as const;
  const reason = new Error('left');
  await expect(call(statistics, { query }, AbortSignal.abort(reason))).rejects.toBe(reason);
  expect(send).not.toHaveBeenCalled();
  vi.unstubAllGlobals();
});
