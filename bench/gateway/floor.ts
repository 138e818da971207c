import { connect, createServer, type Socket } from 'node:net';
import { decide } from '@propusk/access/decide';
import { type GatewayToken, gatewayKeys, verifyGatewayToken } from '@propusk/access/gateway-secret';
import { parseAuthority, type Target } from '@propusk/access/host';
import { emptyIndex, putCompany } from '@propusk/access/snapshot';
import { SECRET, snapshots } from './policy.ts';

/**
 * The floor of a tunnel: the smallest program on node:net that does a gateway's work for a plain CONNECT, and nothing else.
 * It accepts, parses the head, verifies the token, decides, dials, reads the server name of the ClientHello, splices and
 * ends. It has no limits, timeouts, metrics, log or revocation. Leave it unchanged: the gateway is measured against it.
 * Its settings are the environment variables PORT and ORIGIN, the port of the sites.
 */

const keys = gatewayKeys(SECRET);
const index = emptyIndex();
for (const snapshot of snapshots(Number(process.env.ORIGIN))) putCompany(index, snapshot);
/** Verified tokens by their header, as in the gateway. */
const tokens = new Map<string, GatewayToken>();

const ESTABLISHED = Buffer.from('HTTP/1.1 200 Connection established\r\n\r\n');
const REFUSED = 'HTTP/1.1 403 Forbidden\r\nConnection: close\r\n\r\n';
const head = /^CONNECT (\S{1,300}) HTTP\/1\.1\r\n(?:.*\r\n)*?Proxy-Authorization: Basic (\S+)\r\n/;

/** All sites are read into this buffer: each read is copied, or written, before the next one. */
const shared = Buffer.allocUnsafeSlow(65_536);

const server = createServer({ noDelay: true, allowHalfOpen: true }, (client) => {
  client.on('error', ignore);
  client.once('data', (bytes: Buffer) => accept(client, bytes));
});

function accept(client: Socket, bytes: Buffer): void {
  const [, authority = '', credentials = ''] = head.exec(bytes.toString('latin1')) ?? [];
  const target = parseAuthority(authority);
  const token = tokens.get(credentials) ?? verify(credentials);
  const allowed =
    target !== null &&
    token !== null &&
    token.expires * 1_000 > Date.now() &&
    index.users.get(token.userId)?.epoch === token.epoch &&
    decide(index, token.userId, target.host, target.port, 0).allow;
  if (allowed) dial(client, target);
  else client.end(REFUSED);
}

function verify(credentials: string): GatewayToken | null {
  const pair = Buffer.from(credentials, 'base64').toString('latin1');
  const token = verifyGatewayToken(keys, pair.slice(pair.indexOf(':') + 1));
  if (token !== null) tokens.set(credentials, token);
  return token;
}

function dial(client: Socket, { host, port }: Target): void {
  client.pause();
  const remote = connect({
    host: '127.0.0.1',
    port,
    noDelay: true,
    allowHalfOpen: true,
    onread: { buffer: shared, callback: (length) => client.write(Buffer.from(shared.subarray(0, length))) },
  });
  remote.on('error', ignore).once('connect', () => {
    client.write(ESTABLISHED);
    client.once('data', (hello: Buffer) => {
      if (serverName(hello) !== host) return void client.destroy();
      client.on('data', (bytes: Buffer) => {
        if (!remote.write(bytes)) client.pause();
      });
      remote.write(hello);
    });
    client.resume();
  });
  remote.on('drain', () => client.resume()).once('end', () => client.end());
  client.on('drain', () => remote.resume()).once('end', () => remote.end());
  // Once a side has closed, nothing can be passed on.
  remote.once('close', () => client.destroySoon());
  client.once('close', () => remote.destroy());
}

/** The server name of a ClientHello in one record (RFC 8446 section 4.1.2, RFC 6066 section 3); null without one. */
function serverName(hello: Buffer): string | null {
  const end = hello.length;
  if (end < 44 || hello[0] !== 22 || hello[5] !== 1) return null;
  // Past the record's and message's heads, version and random: session id, cipher suites, compressions.
  let at = 43;
  at += 1 + (hello[at] ?? 0);
  if (at + 2 > end) return null;
  at += 2 + hello.readUInt16BE(at);
  at += 3 + (hello[at] ?? 0);
  for (; at + 4 <= end; at += 4 + hello.readUInt16BE(at + 2)) {
    if (hello.readUInt16BE(at) !== 0) continue;
    return at + 9 > end ? null : hello.toString('latin1', at + 9, at + 9 + hello.readUInt16BE(at + 7));
  }
  return null;
}

function ignore(): void {}

server.listen({ port: Number(process.env.PORT), host: '127.0.0.1', backlog: 4_096 }, () => {
  process.send?.({ type: 'listening', port: Number(process.env.PORT) });
});
process.on('disconnect', () => process.exit(0));
