import { login } from '@propusk/contract/auth';
import { updatePolicy } from '@propusk/contract/policies';
import { listSites } from '@propusk/contract/sites';
import { flood, neverRead, pipelined } from './attack-clients.ts';
import { agentForms, strangerForms } from './gateway-attacks.ts';
import type { Company, WholeProduct } from './whole-product.ts';

/** An attack on a whole product by one attacker. It lasts until the returned stop is called. */
export type Attack = (product: WholeProduct, attacker: Company, clients: number) => Promise<() => void>;

const CHUNK = 65_000;
/** The first three bytes of the attacker's IPv4 addresses. */
const ATTACKER = '203.0.113';

/** Builds a raw request to the api. */
export function call(
  method: string,
  path: string,
  { token, body, from }: { token?: string; body?: unknown; from?: string } = {},
): string {
  const text = body === undefined ? '' : JSON.stringify(body);
  const lines = [
    `${method} /api${path} HTTP/1.1`,
    'host: x',
    ...(from === undefined ? [] : [`x-forwarded-for: ${from}`]),
    ...(token === undefined ? [] : [`authorization: Bearer ${token}`]),
    ...(body === undefined
      ? []
      : ['content-type: application/json', `content-length: ${Buffer.byteLength(text)}`]),
  ];
  return `${lines.join('\r\n')}\r\n\r\n${text}`;
}

/** The declared length of a body, almost the largest that the api accepts. */
const BODY = 1_000_000;
const unendingBody = `${call(login.method, login.path).slice(0, -2)}content-type: application/json\r\ncontent-length: ${BODY}\r\n\r\n{"email":"${'a'.repeat(BODY - 1_000)}`;

const wrongSignIn = (n: number, addresses: number) =>
  call(login.method, login.path, {
    body: { email: `victim${n % 500}@attacked.test`, password: 'a wrong password' },
    from: `${ATTACKER}.${n % addresses}`,
  });

async function neverReadForms(
  formsOf: typeof strangerForms,
  { gateway, origin }: WholeProduct,
  { agent, host }: Company,
  clients: number,
): Promise<() => void> {
  const forms = formsOf({ agent: agent.who, site: host.replace(/:\d+$/, ''), origin });
  const payloads = Object.values(forms).map((form) => pipelined(form, CHUNK));
  return (await neverRead(gateway.port, clients, payloads)).stop;
}

/** The attacks, by name. Each has one attacker: a stranger, an agent or a company. */
export const attacks: Readonly<Record<string, Attack>> = {
  'a stranger who never reads, at the api': async ({ apiPort }, _, clients) => {
    const paths = ['/docs/json', '/docs/yaml', '/health', '/nothing'];
    const payloads = paths.map((path) => pipelined(call('GET', path), CHUNK));
    return (await neverRead(apiPort, clients, payloads)).stop;
  },
  'a stranger whose bodies never end': async ({ apiPort }, _, clients) =>
    (await neverRead(apiPort, clients, [unendingBody])).stop,
  'a stranger who never reads, at the gateway': (product, attacker, clients) =>
    neverReadForms(strangerForms, product, attacker, clients),
  'an agent who never reads, at the gateway': (product, attacker, clients) =>
    neverReadForms(agentForms, product, attacker, clients),
  'an agent who pipelines lists and never reads': async ({ apiPort }, { agent }, clients) => {
    const list = call(listSites.method, listSites.path, { token: agent.token });
    return (await neverRead(apiPort, clients, [pipelined(list, CHUNK)])).stop;
  },
  'wrong sign-ins from one address': async ({ apiPort }, _, clients) =>
    flood(apiPort, clients, (n) => wrongSignIn(n, 1)).stop,
  'wrong sign-ins from 200 addresses of one network': async ({ apiPort }, _, clients) =>
    flood(apiPort, clients, (n) => wrongSignIn(n, 200)).stop,
  'a company that changes its policy without a pause': async ({ apiPort }, { owner, policy }, clients) => {
    const path = updatePolicy.path.replace(':id', String(policy));
    return flood(apiPort, Math.min(clients, 40), (n) =>
      call(updatePolicy.method, path, { token: owner, body: { name: `Политика ${n}` } }),
    ).stop;
  },
};
