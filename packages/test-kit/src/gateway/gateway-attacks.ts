import { pipelined } from './attack-clients.ts';
import type { FloodOrigin } from './flood-origin.ts';
import { authorization } from './world.ts';

/** The requests that strangers and agents pipeline at a gateway, by form. */

export interface Attackers {
  /** `name:password` of an agent who may reach the sites of the flood origin. */
  readonly agent: string;
  /** The host name of that origin in the policy. */
  readonly site: string;
  readonly origin: FloodOrigin;
}

const GARBAGE = '\x80\xfe\x00\x07\x1b'.repeat(13_000);
const upgrade =
  'Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n';

/** One request of each form available to a stranger, by name. */
export function strangerForms({ site, origin }: Attackers): Readonly<Record<string, string>> {
  const url = `http://${site}:${origin.http}/`;
  const bad = authorization('u1:not a token');
  return {
    'no credentials': `GET ${url} HTTP/1.1\r\nHost: x\r\n\r\n`,
    'bad credentials': `GET ${url} HTTP/1.1\r\nHost: x\r\n${bad}\r\n`,
    'origin form': 'GET / HTTP/1.1\r\nHost: x\r\n\r\n',
    'CONNECT without credentials': `CONNECT ${site}:443 HTTP/1.1\r\nHost: x\r\n\r\n`,
    'CONNECT with bad credentials': `CONNECT ${site}:443 HTTP/1.1\r\nHost: x\r\n${bad}\r\n`,
    'upgrade without credentials': `GET ${url} HTTP/1.1\r\nHost: x\r\n${upgrade}\r\n`,
    'POST without credentials': `POST ${url} HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nhello`,
    'an unending head': `GET ${url} HTTP/1.1\r\nHost: x\r\nX-Long: ${'a'.repeat(30_000)}`,
    garbage: GARBAGE,
  };
}

/** One request of each form available to an agent, with and without a policy for the host. */
export function agentForms({ agent, site, origin }: Attackers): Readonly<Record<string, string>> {
  const who = authorization(agent);
  const at = `http://${site}:${origin.http}`;
  const inside = `GET /large HTTP/1.1\r\nHost: ${site}:${origin.http}\r\n\r\n`;
  return {
    'a refused host': `GET http://refused.company.test/ HTTP/1.1\r\nHost: x\r\n${who}\r\n`,
    'a large answer': `GET ${at}/large HTTP/1.1\r\nHost: x\r\n${who}\r\n`,
    'a body to a site that reads none': `POST ${at}/sink HTTP/1.1\r\nHost: x\r\n${who}Content-Length: 60000\r\n\r\n${'b'.repeat(60_000)}`,
    'CONNECT to a refused host': `CONNECT refused.company.test:443 HTTP/1.1\r\nHost: x\r\n${who}\r\n`,
    'a tunnel to a flood': `CONNECT ${site}:${origin.raw} HTTP/1.1\r\nHost: x\r\n${who}\r\n`,
    'requests inside a tunnel': `CONNECT ${site}:${origin.http} HTTP/1.1\r\nHost: x\r\n${who}\r\n${pipelined(inside, 30_000)}`,
    'an upgrade that is refused': `GET ${at}/large HTTP/1.1\r\nHost: x\r\n${who}${upgrade}\r\n`,
  };
}
