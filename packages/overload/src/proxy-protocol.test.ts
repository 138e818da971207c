import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseProxyHeader } from './proxy-protocol.ts';

const signature = '0d0a0d0a000d0a515549540a';
const hex = (text: string) => Buffer.from(text.replaceAll(' ', ''), 'hex');
const header = (rest: string) => hex(signature + rest);
const fill = (bytes: number) => '00'.repeat(bytes);

/** From 192.0.2.7:51000 to 198.51.100.1:3128. */
const tcp4 = header('2111000c c0000207 c6336401 c738 0c38');
/** From [2001:db8::7]:51000 to [2001:db8::1]:3128. */
const tcp6 = header('21210024 20010db8000000000000000000000007 20010db8000000000000000000000001 c738 0c38');
/** The client's address, mapped into IPv6: a balancer that listens on `::`. */
const mapped = header('21210024 00000000000000000000ffffc0000207 00000000000000000000ffffc6336401 c738 0c38');
/** A TLV of type NOOP with three bytes. */
const withTlv = header('21110012 c0000207 c6336401 c738 0c38 040003 aabbcc');
const longest = header(`21110218 c0000207 c6336401 c738 0c38 ${fill(524)}`);
const local = header('20000000');
const localWithAddresses = header('2011000c c0000207 c6336401 c738 0c38');
const localUnknown = header('20ff0003 aabbcc');

const valid = [
  ['TCP over IPv4', tcp4, '192.0.2.7'],
  ['TCP over IPv6', tcp6, '2001:db8::7'],
  ['IPv4 mapped into IPv6', mapped, '192.0.2.7'],
  ['a TLV', withTlv, '192.0.2.7'],
  ['the largest size', longest, '192.0.2.7'],
  ['LOCAL', local, null],
  ['LOCAL with addresses, which do not count', localWithAddresses, null],
  ['LOCAL of an unknown family', localUnknown, null],
] as const;

test.each(valid)('a header with %s ends at its size, and names the client', (_, bytes, client) => {
  expect(parseProxyHeader(bytes)).toEqual({ length: bytes.length, client });
  const followed = Buffer.concat([bytes, Buffer.from('CONNECT a.test:443 HTTP/1.1\r\n')]);
  expect(parseProxyHeader(followed)).toEqual({ length: bytes.length, client });
});

test.each(valid)('a header with %s is partial at every cut', (_, bytes) => {
  for (let end = 0; end < bytes.length; end++)
    expect(parseProxyHeader(bytes.subarray(0, end))).toBe('partial');
});

test.each([
  ['HTTP', Buffer.from('CONNECT a.test:443 HTTP/1.1\r\n\r\n')],
  ['one byte of HTTP', Buffer.from('G')],
  ['a ClientHello of TLS', hex('16030100')],
  ['version 1', Buffer.from('PROXY TCP4 192.0.2.7 198.51.100.1 51000 3128\r\n')],
  ['two blank lines before HTTP', Buffer.from('\r\n\r\nGET / HTTP/1.1\r\n\r\n')],
  ['a signature with a wrong last byte', hex('0d0a0d0a000d0a515549540b')],
  ['version 1 in the binary form', header('1111000c c0000207 c6336401 c738 0c38')],
  ['version 3', header('3111000c c0000207 c6336401 c738 0c38')],
  ['an unknown command', header('2211000c c0000207 c6336401 c738 0c38')],
  ['an unspecified family', header('2100000c c0000207 c6336401 c738 0c38')],
  ['UDP over IPv4', header('2112000c c0000207 c6336401 c738 0c38')],
  ['UDP over IPv6', header(`21220024${fill(36)}`)],
  ['a UNIX socket', header(`213100d8${fill(216)}`)],
  ['a size that cuts the IPv4 addresses', header('2111000b c0000207 c6336401 c738 0c')],
  ['a size that cuts the IPv6 addresses', header(`21210023${fill(35)}`)],
  ['a size beyond the largest', header('21110219')],
  ['LOCAL with a size beyond the largest', header('20000219')],
])('%s is no header', (_, bytes) => expect(parseProxyHeader(bytes)).toBe('invalid'));

test('bytes are a header only in a listed form, and a partial one never reaches 552 bytes', () => {
  const byte = fc.integer({ min: 0, max: 255 });
  const likely = fc.tuple(
    fc.constantFrom(0x20, 0x21, 0x11, 0x22),
    fc.oneof(fc.constantFrom(0x11, 0x21), byte),
    fc.oneof(fc.constantFrom(0, 11, 12, 35, 36, 536, 537), fc.integer({ min: 0, max: 65_535 })),
    fc.uint8Array({ maxLength: 700 }),
  );
  const framed = likely.map(([command, family, size, rest]) =>
    Buffer.concat([hex(signature), Buffer.from([command, family, size >> 8, size & 255]), rest]),
  );
  const flipped = fc
    .tuple(framed, fc.nat(27), byte)
    .map(([bytes, at, value]) =>
      Buffer.concat([bytes.subarray(0, at), Buffer.from([value]), bytes.subarray(at + 1)]),
    );
  const junk = fc.uint8Array({ maxLength: 700 }).map((bytes) => Buffer.from(bytes));
  const seen = { partial: 0, invalid: 0, header: 0 };
  fc.assert(
    fc.property(fc.oneof(framed, flipped, junk), (bytes) => {
      const parsed = parseProxyHeader(bytes);
      if (typeof parsed === 'string') {
        seen[parsed] += 1;
        if (parsed === 'partial') expect(bytes.length).toBeLessThan(552);
        return;
      }
      seen.header += 1;
      expect(bytes.toString('hex')).toMatch(new RegExp(`^${signature}(20..|2111|2121)`));
      const size = bytes.readUInt16BE(14);
      expect(parsed.length).toBe(16 + size);
      expect(size).toBeLessThanOrEqual(536);
      expect(bytes.length).toBeGreaterThanOrEqual(parsed.length);
      expect(parsed.client === null).toBe(bytes[12] === 0x20);
      if (parsed.client !== null) expect(size).toBeGreaterThanOrEqual(bytes[13] === 0x11 ? 12 : 36);
    }),
    { numRuns: 20_000 },
  );
  expect(Math.min(...Object.values(seen))).toBeGreaterThan(100);
});
