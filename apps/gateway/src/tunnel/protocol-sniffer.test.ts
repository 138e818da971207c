import type { CanonicalHost } from '@propusk/access/host';
import { describe, expect, test } from 'vitest';
import { classify } from './protocol-sniffer.ts';

/** Classification of a tunnel's first bytes, also for ports that a test cannot listen on. */

function step(bytes: string, port: number, shared: boolean): string {
  const target = { host: 'crm.company.test' as CanonicalHost, port };
  return classify(Buffer.from(bytes, 'latin1'), { target, egress: { kind: 'direct', shared, family: 0 } });
}

describe.each([
  ['nothing', '', 'more', 'more', 'more'],
  ['HTTP', 'GET / HTTP/1.1\r\n', 'mismatch', 'http', 'http'],
  ['the beginning of HTTP', 'GE', 'mismatch', 'more', 'more'],
  ['cleartext HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 'mismatch', 'http', 'http'],
  ['HTTP after an empty line', '\r\nGET / HTTP/1.1\r\n', 'mismatch', 'mismatch', 'server'],
  ['HTTP with a lower-case method', 'get / HTTP/1.1\r\n', 'mismatch', 'mismatch', 'server'],
  ['SSH', 'SSH-2.0-OpenSSH_9.2\r\n', 'mismatch', 'mismatch', 'server'],
  ['one letter repeated', 'A'.repeat(30), 'mismatch', 'mismatch', 'server'],
  ['an SSL 2 hello', '\x80\x2e\x01\x03\x01', 'mismatch', 'mismatch', 'server'],
  ['an alert before a hello', '\x15\x03\x01\x00\x02\x01\x00', 'mismatch', 'mismatch', 'server'],
  ['a broken hello', '\x16\x03\x01\x00\x00', 'mismatch', 'mismatch', 'mismatch'],
  ['the beginning of a hello', '\x16\x03', 'more', 'more', 'more'],
])('first bytes: %s', (_, bytes, at443, at80, elsewhere) => {
  test('the sniffer classifies first bytes by port on shared egress', () => {
    expect([443, 80, 8443].map((port) => step(bytes, port, true))).toEqual([at443, at80, elsewhere]);
  });
  test("the sniffer inspects only TLS on a company's own egress", () => {
    const expected =
      bytes === '' || bytes === '\x16\x03' ? 'more' : bytes[0] === '\x16' ? 'mismatch' : 'bytes';
    expect([443, 80, 8443].map((port) => step(bytes, port, false))).toEqual(Array(3).fill(expected));
  });
});
