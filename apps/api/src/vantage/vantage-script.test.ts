import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { sign } from './signature.ts';

const script = fileURLToPath(new URL('../../../web/public/vantage.sh', import.meta.url));

/** Runs lines after the program's functions. Without arguments the program only prints its usage. */
function after(lines: string, env: Record<string, string> = {}): string[] {
  const source = `. "$SCRIPT" >/dev/null 2>&1\n${lines}`;
  const output = execFileSync('sh', ['-c', source], { env: { ...process.env, SCRIPT: script, ...env } });
  return output.toString().trim().split('\n');
}

test('the program of a vantage computes the HMAC that the api expects', () => {
  for (const key of ['00'.repeat(32), '7f'.repeat(32), 'ff25410a'.repeat(8)]) {
    const [seen] = after('inner=$(escapes "$KEY" 54) outer=$(escapes "$KEY" 92); sign "work 7 118"', {
      KEY: key,
    });
    expect(seen).toBe(sign(key, ['work', 7, 118]));
  }
});

test('the program of a vantage takes only canonical addresses of the public internet', () => {
  const open = ['8.8.8.8', '172.32.0.1', '100.63.0.1', '203.0.113.10', '2606:4700::7', '223.255.255.1'];
  const closed = [
    ...['127.0.0.1', '10.1.2.3', '172.16.0.1', '172.31.255.1', '192.168.1.1', '169.254.169.254', '0.0.0.0'],
    ...['100.64.0.1', '100.127.1.1', '198.18.0.1', '224.0.0.1', '255.255.255.255'],
    ...[
      '::1',
      '::',
      'fe80::1',
      'fc00::1',
      '::ffff:127.0.0.1',
      '64:ff9b::7f00:1',
      '2002:7f00:1::',
      '2001:db8::127.0.0.1',
    ],
    ...[
      '0x7f000001',
      '0177.0.0.1',
      '8.8.8.08',
      '2130706433',
      '127.1',
      '8.8.8',
      '1.2.3.4.5',
      '8..8.8',
      'localhost',
      '',
      '-x',
    ],
  ];
  const lines =
    'for one in $ADDRESSES; do if public "$one"; then echo "$one"; fi; done; if public ""; then echo none; fi';
  expect(after(lines, { ADDRESSES: [...open, ...closed].join(' ') })).toEqual(open);
});
