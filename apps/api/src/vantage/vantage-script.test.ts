import { execFile, execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { sign } from './signature.ts';

const script = fileURLToPath(new URL('../../../web/public/vantage.sh', import.meta.url));

/**
 * Loads the vantage program into a shell and runs the given lines there. Without arguments, the program only prints its usage.
 * @returns the output lines
 */
function after(lines: string, env: Record<string, string> = {}): string[] {
  const source = `. "$SCRIPT" >/dev/null 2>&1\n${lines}`;
  const output = execFileSync('sh', ['-c', source], { env: { ...process.env, SCRIPT: script, ...env } });
  return output.toString().trim().split('\n');
}

test('the vantage program computes the HMAC that the api expects', () => {
  for (const key of ['00'.repeat(32), '7f'.repeat(32), 'ff25410a'.repeat(8)]) {
    const [seen] = after('inner=$(escapes "$KEY" 54) outer=$(escapes "$KEY" 92); sign "work 7 118"', {
      KEY: key,
    });
    expect(seen).toBe(sign(key, ['work', 7, 118]));
  }
});

test('the vantage program sends no request to a numeric host', async () => {
  let connections = 0;
  const server = createServer((socket) => {
    connections += 1;
    socket.destroy();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const ask = async (host: string, address: string) => {
    const line = `request http "${host}" ${port} ${address} / "" "$work/head"; exit 0`;
    const source = `. "$SCRIPT" >/dev/null 2>&1\n${line}`;
    const env = { ...process.env, SCRIPT: script, PROPUSK_ALLOW_PRIVATE: 'yes' };
    return (await promisify(execFile)('sh', ['-c', source], { env })).stdout;
  };
  // Each request must go to 127.0.0.9, where nothing listens. A connection to the test server on 127.0.0.1 would show that curl
  // resolved the host itself.
  for (const host of [
    '2130706433',
    '127.1',
    '0x7f.1',
    '0x7f000001',
    '127.0.0.1',
    '127.0.0.0x1',
    'localhost',
    'a.1.',
  ])
    expect([host, await ask(host, '127.0.0.9')]).toEqual([host, '']);
  expect(await ask('localhost.example.test', '127.0.0.9')).toMatch(/^7 000 0 -/);
  expect(connections).toBe(0);
  expect(await ask('crm.example.test', '127.0.0.1')).toMatch(/^5[26] 000 1 /);
  expect(connections).toBe(1);
  server.close();
});

test('the vantage program accepts only canonical public IP addresses', () => {
  const open = ['8.8.8.8', '172.32.0.1', '100.63.0.1', '203.0.113.10', '2606:4700::7', '223.255.255.1'];
  const closed = [
    ...['127.0.0.1', '10.1.2.3', '172.16.0.1', '172.31.255.1', '192.168.1.1', '169.254.169.254', '0.0.0.0'],
    ...['100.64.0.1', '100.127.1.1', '198.18.0.1', '224.0.0.1', '255.255.255.255', '168.63.129.16'],
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
