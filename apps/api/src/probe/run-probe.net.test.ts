import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { sayCheck } from '@propusk/phrases/checks';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { ConnectError, type ConnectErrorReason } from './connect-error.ts';
import type { SiteProxy } from './egress-store.ts';
import { unpaced } from './pace.ts';
import { type ProbeOptions, runProbe } from './run-probe.ts';
import type { Transport } from './transport.ts';

/**
 * Runs a whole probe over a fake transport. The site and the echo endpoint are one server on loopback. The proxy connects from
 * 127.0.0.5, and requests from outside come from 127.0.0.1.
 */
const EGRESS = '127.0.0.5';
const SITE = 'crm.example.test';
const ECHO = 'echo.example.test';
const V4 = '198.51.100.7';
const V6 = '2606:4700::7';
/** A file that the site serves to strangers. */
const OPEN = '/files/list.pdf';

let server: Server;
let port: number;
/** The status of the site's responses to requests from outside. */
let strangers = 403;
/** The site's responses to requests through the proxy. */
let site: RequestListener = (_, reply) => void reply.end();
beforeAll(async () => {
  server = createServer((asking, reply) => {
    const address = asking.socket.remoteAddress ?? '';
    if (asking.url === '/api/echo') return reply.end(JSON.stringify({ address }));
    if (address === EGRESS) return site(asking, reply);
    reply.writeHead(asking.url === OPEN ? 200 : strangers).end();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  port = (server.address() as AddressInfo).port;
});
afterAll(() => server.close());

const proxy: SiteProxy = {
  ownerId: 1,
  id: 3,
  host: 'proxy.example.test',
  port: 3128,
  username: '',
  passwordSealed: null,
  direct: false,
  route: { kind: 'upstream', host: 'proxy.example.test', port: 3128, username: '', password: '' },
  politics: [],
  addresses: [],
  learnedAt: null,
  problem: null,
  stale: false,
};

/** Probes the site; direct connections to the `dead` addresses fail. */
async function probe(
  addresses: string[],
  dead: Readonly<Record<string, ConnectErrorReason>>,
  proxies: readonly SiteProxy[] = [proxy],
  given: Partial<Pick<ProbeOptions, 'sample' | 'startPaths'>> = {},
) {
  const connected = async (localAddress: string) => {
    const socket = connect({ host: '127.0.0.1', port, localAddress });
    await once(socket, 'connect');
    return socket;
  };
  const transport: Transport = {
    async open(route, { host }) {
      if (route.kind !== 'outside') return connected(EGRESS);
      const reason = dead[host];
      if (reason !== undefined) throw new ConnectError('site', reason);
      return connected('127.0.0.1');
    },
    openProxy: () => connected(EGRESS),
    through: async (_, connection) => connection,
    resolve: async (host) => (host === SITE ? addresses : host === ECHO ? ['127.0.0.1'] : []),
    configuredEgress: [],
    localEgress: async () => [],
    gatewayHidesOnLoopback: async () => false,
    allowed: () => true,
  };
  const stop = AbortSignal.timeout(25_000);
  return runProbe(
    { transport, echoUrl: new URL(`http://${ECHO}:${port}`) },
    {
      // The server at `port` supports only HTTP, not HTTPS.
      address: `${SITE}:${port}`,
      ...{ proxies, startPaths: [], openPaths: [], sample: null, pace: unpaced, ...given },
      isCoveredElsewhere: async () => false,
      isHeldByOther: async () => false,
      report: () => {},
      vantages: [],
      send: async () => new Map(),
      onEgress: async () => {},
      stop,
    },
  );
}

const outcomesAt = (steps: Awaited<ReturnType<typeof probe>>['steps'], address: string) =>
  new Set(
    steps.filter(({ title }) => sayCheck(title).includes(`(${address})`)).map(({ outcome }) => outcome),
  );

test('a site that refuses strangers over IPv4 and IPv6 gets the verdict protected', async () => {
  expect(await probe([V4, V6], {})).toMatchObject({ verdict: 'protected' });
});

test('the verdict on a site without a policy is unknown, and the site gets no request', async () => {
  const { verdict, meaning, steps } = await probe([V4], {}, []);
  expect([verdict, meaning.code, steps]).toEqual(['unknown', 'no_policy', []]);
});

test.each<ConnectErrorReason>(['no_route', 'connect_failed', 'timeout'])(
  'an address family without egress leaves the verdict unknown: %s',
  async (reason) => {
    const found = await probe([V4, V6], { [V6]: reason });
    expect(found.verdict).toBe('unknown');
    expect(sayCheck(found.advice)).toContain('IPv6');
    expect(outcomesAt(found.steps, V6)).toEqual(new Set(['skipped']));
  },
);

test('the verdict is protected when IPv4 requests are denied and IPv6 connections are refused', async () => {
  expect(await probe([V4, V6], { [V6]: 'connection_refused' })).toMatchObject({ verdict: 'protected' });
});

test.each<ConnectErrorReason>(['timeout', 'connect_failed', 'connection_refused'])(
  'a machine without egress does not report an open site as protected: %s',
  async (reason) => {
    strangers = 200;
    const found = await probe([V4], { [V4]: reason, '127.0.0.1': reason });
    strangers = 403;
    expect(found).toMatchObject({ verdict: 'unknown' });
    expect(outcomesAt(found.steps, V4)).toEqual(new Set(['skipped']));
  },
);

describe('a probe finds an open file that only one page links to', () => {
  const PAGE = '/docs/';
  const link = `<a href="${OPEN}">x</a>`;
  const broken: RequestListener = (_, reply) => void reply.destroy();
  /** Answers the first requests to the page with `answers` in their order, and later requests with the last answer. */
  const linking = (...answers: RequestListener[]): RequestListener => {
    let requests = 0;
    return (asking, reply) => {
      if (asking.url === PAGE) return answers[Math.min(requests++, answers.length - 1)]?.(asking, reply);
      reply.writeHead(asking.url === '/' ? 200 : 404, { 'content-type': 'text/html' });
      reply.end(asking.url === '/' ? `<a href="${PAGE}">x</a>` : '');
    };
  };
  const whole: RequestListener = (_, reply) => void reply.setHeader('content-type', 'text/html').end(link);
  const cut: RequestListener = (_, reply) => {
    reply.writeHead(200, { 'content-type': 'text/html', 'content-length': 1_000 });
    reply.write('<p>', () => reply.destroy());
  };
  const status =
    (code: number): RequestListener =>
    (_, reply) =>
      void reply.writeHead(code).end();

  test.each<[string, RequestListener]>([
    ['breaks off before its head', broken],
    ['breaks off within its body', cut],
    ['is over a rate limit', status(429)],
    ['is not reached by a front server', status(502)],
  ])('the verdict is unknown and names the page: a page that %s', async (_, answer) => {
    site = linking(answer);
    const found = await probe([V4], {});
    expect(found).toMatchObject({ verdict: 'unknown', meaning: { code: 'unread_page' } });
    expect(sayCheck(found.meaning)).toContain(PAGE);
    // The next probe reads the pages again, because the first probe could not read one of the pages.
    site = linking(whole);
    expect(await probe([V4], {}, [proxy], { sample: found.sample })).toMatchObject({ verdict: 'open' });
  });

  test.each([broken, cut, status(503)])('a page that fails once is read again', async (answer) => {
    site = linking(answer, whole);
    expect(await probe([V4], {})).toMatchObject({ verdict: 'open' });
  });

  test('a start path that fails once is requested again', async () => {
    site = linking(broken, whole);
    const found = await probe([V4], {}, [proxy], { startPaths: [PAGE] });
    expect(found).toMatchObject({ verdict: 'open' });
  });

  test('the verdict is unknown when a page does not answer before the read timeout', async () => {
    const { timeout } = AbortSignal;
    const faster = vi.spyOn(AbortSignal, 'timeout').mockImplementation((ms) => timeout(ms / 10));
    site = linking(() => {});
    expect(await probe([V4], {})).toMatchObject({ verdict: 'unknown', meaning: { code: 'unread_page' } });
    faster.mockRestore();
  });

  test.each([404, 500])('the verdict is protected although a linked page has status %i', async (code) => {
    site = linking(status(code));
    expect(await probe([V4], {})).toMatchObject({ verdict: 'protected' });
  });
});
