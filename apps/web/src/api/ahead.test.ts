import { afterEach, expect, it, vi } from 'vitest';
import { takeAhead } from './ahead.ts';

const url = '/api/me';

/** A page that asked for `url` under the token `mine`. */
function askedAhead(): Promise<Response> {
  const answer = Promise.resolve(new Response('{}'));
  vi.stubGlobal('window', { ahead: { bearer: 'mine', answers: { [url]: answer } } });
  return answer;
}

afterEach(() => {
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

it('gives an answer once', () => {
  vi.spyOn(performance, 'now').mockReturnValue(500);
  const answer = askedAhead();
  expect(takeAhead('/api/users', 'mine')).toBeUndefined();
  expect(takeAhead(url, 'mine')).toBe(answer);
  expect(takeAhead(url, 'mine')).toBeUndefined();
});

it('gives nothing to whoever signed in meanwhile, and nothing old', () => {
  vi.spyOn(performance, 'now').mockReturnValue(500);
  void askedAhead();
  expect(takeAhead(url, 'theirs')).toBeUndefined();
  expect(takeAhead(url, null)).toBeUndefined();
  vi.spyOn(performance, 'now').mockReturnValue(60_000);
  expect(takeAhead(url, 'mine')).toBeUndefined();
});

it('gives nothing where nothing was asked', () => {
  vi.stubGlobal('window', {});
  expect(takeAhead(url, 'mine')).toBeUndefined();
});
