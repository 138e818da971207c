import { afterEach, expect, it, vi } from 'vitest';
import { takePrefetched } from './prefetched.ts';

const url = '/api/me';

/** A page that asked for `url` under the token `mine`. */
function askedAhead(): Promise<Response> {
  const answer = Promise.resolve(new Response('{}'));
  vi.stubGlobal('window', { prefetch: { bearer: 'mine', answers: { [url]: answer } } });
  return answer;
}

afterEach(() => {
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

it('gives an answer once', () => {
  vi.spyOn(performance, 'now').mockReturnValue(500);
  const answer = askedAhead();
  expect(takePrefetched('/api/users', 'mine')).toBeUndefined();
  expect(takePrefetched(url, 'mine')).toBe(answer);
  expect(takePrefetched(url, 'mine')).toBeUndefined();
});

it('gives nothing to whoever signed in meanwhile, and nothing old', () => {
  vi.spyOn(performance, 'now').mockReturnValue(500);
  void askedAhead();
  expect(takePrefetched(url, 'theirs')).toBeUndefined();
  expect(takePrefetched(url, null)).toBeUndefined();
  vi.spyOn(performance, 'now').mockReturnValue(60_000);
  expect(takePrefetched(url, 'mine')).toBeUndefined();
});

it('gives nothing where nothing was asked', () => {
  vi.stubGlobal('window', {});
  expect(takePrefetched(url, 'mine')).toBeUndefined();
});
