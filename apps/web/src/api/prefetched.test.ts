import { afterEach, expect, it, vi } from 'vitest';
import { takePrefetched } from './prefetched.ts';

const url = '/api/me';

/** Stubs a page whose prefetch script requested `url` with the token `mine`. */
function askedAhead(): Promise<Response> {
  const answer = Promise.resolve(new Response('{}'));
  vi.stubGlobal('window', { prefetch: { bearer: 'mine', answers: { [url]: answer } } });
  return answer;
}

afterEach(() => {
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

it('takePrefetched returns a prefetched reply only once', () => {
  vi.spyOn(performance, 'now').mockReturnValue(500);
  const answer = askedAhead();
  expect(takePrefetched('/api/users', 'mine')).toBeUndefined();
  expect(takePrefetched(url, 'mine')).toBe(answer);
  expect(takePrefetched(url, 'mine')).toBeUndefined();
});

it('takePrefetched returns no reply for another token, and no reply that is too old', () => {
  vi.spyOn(performance, 'now').mockReturnValue(500);
  void askedAhead();
  expect(takePrefetched(url, 'theirs')).toBeUndefined();
  expect(takePrefetched(url, null)).toBeUndefined();
  vi.spyOn(performance, 'now').mockReturnValue(60_000);
  expect(takePrefetched(url, 'mine')).toBeUndefined();
});

it('takePrefetched returns nothing for a URL that was not prefetched', () => {
  vi.stubGlobal('window', {});
  expect(takePrefetched(url, 'mine')).toBeUndefined();
});
