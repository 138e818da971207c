import { expect, test } from 'vitest';
import { endToEnd, hasBody, without } from './headers.ts';

test('endToEnd() drops hop-by-hop headers, and keeps the order, case and repetition of the others', () => {
  const raw = [
    ['Host', 'a.test'],
    ['X-First', '1'],
    ['connection', 'close, X-Second'],
    ['Connection', ' x-third ,'],
    ['x-second', '2'],
    ['X-Third', '3'],
    ['Cookie', 'a'],
    ['cookie', 'b'],
    ['Keep-Alive', '1'],
    ['TE', 'trailers'],
    ['Trailer', 'X'],
    ['Transfer-Encoding', 'chunked'],
    ['Upgrade', 'websocket'],
    ['Proxy-Authorization', 'Basic x'],
    ['PROXY-ANYTHING', 'x'],
    ['X-Last', '9'],
  ].flat();
  expect(endToEnd(raw)).toEqual([
    'Host',
    'a.test',
    'X-First',
    '1',
    'Cookie',
    'a',
    'cookie',
    'b',
    'X-Last',
    '9',
  ]);
});

test('a Connection header that names Content-Length or Host does not remove these headers', () => {
  expect(endToEnd(['Connection', 'Content-Length, Host', 'Content-Length', '3'])).toEqual([
    'Content-Length',
    '3',
  ]);
});

test('without() removes a header in any letter case', () => {
  expect(without(['HOST', 'a', 'X', 'b', 'host', 'c'], 'host')).toEqual(['X', 'b']);
});

test.each([
  [{}, false],
  [{ 'content-length': '0' }, false],
  [{ 'content-length': '00' }, false],
  [{ 'content-length': '1' }, true],
  [{ 'transfer-encoding': 'chunked' }, true],
])('hasBody(%o) is %s', (headers, expected) => expect(hasBody(headers)).toBe(expected));
