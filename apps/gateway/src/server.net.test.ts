import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { curl, get, openTunnel, raw, statusAndReason } from '@propusk/test-kit/gateway/client';
import {
  authorization,
  company,
  credentials,
  OTHER_SECRET,
  startWorld,
  until,
  type World,
} from '@propusk/test-kit/gateway/world';
import { openThreatCase } from '@propusk/test-kit/threat-case';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

/** The proxy server end to end: authentication, refusals, and the bytes that reach the site. */

let world: World;
let site: string;
const me = credentials(1);
const sites = (port: number) => [`crm.company.test:${port}`, `dead.company.test:${port}`];

beforeAll(async () => {
  world = await startWorld((port) => [company(sites(port))]);
  site = `http://crm.company.test:${world.origin.port}`;
});
const tally = openThreatCase(
  'open proxy, smuggling',
  'credentials, request lines and framings that are not right: refused, nothing reaches the site',
);
afterAll(() => tally.close());
afterAll(() => world[Symbol.asyncDispose]());

describe('curl reaches the site', () => {
  test('curl reaches the site by plain HTTP', async () => {
    const got = await curl(world.port, me, `${site}/a?b=%2F..`);
    expect(got).toMatchObject({ status: 200, body: `hello from ${site.slice(7)}` });
    expect(world.origin.requests.at(-1)?.url).toBe('/a?b=%2F..');
  });

  test('curl reaches the site through CONNECT', async () => {
    const got = await curl(world.port, me, '--proxytunnel', `${site}/tunnelled`);
    expect(got).toMatchObject({ status: 200, connectStatus: 200, body: `hello from ${site.slice(7)}` });
  });

  test.each([
    ['a length', []],
    ['chunks', ['-H', 'Transfer-Encoding: chunked']],
    ['a wait for 100 Continue', ['-H', 'Expect: 100-continue']],
  ])('the site receives a request body with %s', async (_, options) => {
    const body = 'x'.repeat(300_000);
    const got = await curl(world.port, me, ...options, '-d', body.slice(0, 100_000), `${site}/post`);
    expect(got.status).toBe(200);
    expect(world.origin.requests.at(-1)).toMatchObject({ method: 'POST', body: body.slice(0, 100_000) });
  });

  test('the site receives a POST without a body as one without a body', async () => {
    await curl(world.port, me, '-X', 'POST', `${site}/nothing`);
    const { headers, body } = world.origin.requests.at(-1) ?? { headers: {} };
    expect([headers['content-length'], headers['transfer-encoding'], body]).toEqual(['0', undefined, '']);
  });

  test('curl reaches the site by any spelling of its name', async () => {
    expect((await curl(world.port, me, site.replace('crm.company.test', 'CRM.Company.TEST.'))).status).toBe(
      200,
    );
    const tunnel = await openTunnel(world.port, me, `CRM.Company.TEST.:${world.origin.port}`);
    expect(tunnel.status).toBe(200);
    tunnel.socket.destroy();
  });
});

describe('refusals', () => {
  const now = Math.floor(Date.now() / 1000);
  const forged = `${me.slice(0, -1)}${me.endsWith('A') ? 'B' : 'A'}`;
  test.each([
    ['none', '', 407, 'no_credentials'],
    ['a wrong signature', forged, 407, 'bad_credentials'],
    ['a token of another secret', credentials(1, { secret: OTHER_SECRET }), 407, 'bad_credentials'],
    ["another user's name", credentials(1, { username: 'u2' }), 407, 'bad_credentials'],
    ['no token', 'u1:', 407, 'bad_credentials'],
    ['an expired token', credentials(1, { expires: now - 1 }), 407, 'expired'],
    ['a token of another epoch', credentials(1, { epoch: 2 }), 407, 'expired'],
    ['a user who does not exist', credentials(99), 403, 'user_removed'],
    ['a user without a policy', credentials(2), 403, 'no_policy'],
  ])('refuses credentials with the right status and reason: %s', async (_, who, status, reason) =>
    tally.watch(async () => {
      const before = world.origin.connections();
      const plain = await curl(world.port, who, site);
      const tunnelled = await curl(world.port, who, '--proxytunnel', site);
      expect([plain.status, tunnelled.connectStatus]).toEqual([status, status]);
      for (const { head } of [plain, tunnelled]) {
        expect(head).toMatch(new RegExp(`^X-Propusk-Reason: ${reason}\r?$`, 'm'));
        expect(/^Proxy-Authenticate: Basic realm="Propusk"/m.test(head)).toBe(status === 407);
      }
      expect(world.origin.connections()).toBe(before);
    }, 2),
  );

  test.each([
    ['another host', 'http://foreign.company.test', 403, 'site_unknown'],
    ['another port', 'http://crm.company.test:1', 403, 'port_refused'],
    ['an address', 'http://127.0.0.1', 400, 'bad_host'],
    ['a short address', 'http://127.1', 400, 'bad_host'],
    ['a numeric address', 'http://2130706433', 400, 'bad_host'],
    ['a hexadecimal address', 'http://0x7f000001', 400, 'bad_host'],
    ['an IPv6 address', 'http://[::1]', 400, 'bad_host'],
    ['a single label', 'http://localhost', 400, 'bad_host'],
  ])('refuses a target with the right status and reason: %s', async (_, url, status, reason) => {
    const { hostname, port } = /^http:\/\/(?<hostname>.*?)(?::(?<port>\d+))?$/.exec(url)?.groups ?? {};
    const head = `Host: x\r\n${authorization(me)}`;
    const authority = `${hostname}:${port ?? world.origin.port}`;
    const plain = await raw(
      world.port,
      `GET http://${authority}/ HTTP/1.1\r\n${head}Connection: close\r\n\r\n`,
    );
    const tunnelled = await raw(world.port, `CONNECT ${authority} HTTP/1.1\r\n${head}\r\n`);
    expect([statusAndReason(plain), statusAndReason(tunnelled)]).toEqual([
      `${status} ${reason}`,
      `${status} ${reason}`,
    ]);
  });

  test.each([
    ['https in absolute form', 'GET https://crm.company.test/ HTTP/1.1', '400 bad_request'],
    ['another scheme', 'GET ftp://crm.company.test/ HTTP/1.1', '400 bad_request'],
    ['a name and a password in the URL', 'GET http://u:p@crm.company.test/ HTTP/1.1', '400 bad_request'],
    ['an empty host', 'GET http:///etc HTTP/1.1', '400 bad_host'],
    ['origin form', 'GET /index.html HTTP/1.1', '400 bad_request'],
    ['asterisk form', 'OPTIONS * HTTP/1.1', '400 bad_request'],
    ['CONNECT without a port', 'CONNECT crm.company.test HTTP/1.1', '400 bad_host'],
    ['CONNECT to port 0', 'CONNECT crm.company.test:0 HTTP/1.1', '400 bad_host'],
    ['CONNECT to port 65536', 'CONNECT crm.company.test:65536 HTTP/1.1', '400 bad_host'],
    ['nonsense', 'hello', '400 bad_request'],
    ['another version', 'GET http://crm.company.test/ HTTP/3.7', '400 bad_request'],
  ])('refuses a malformed request: %s', async (_, line, expected) =>
    tally.watch(async () => {
      const request = `${line}\r\nHost: crm.company.test\r\n${authorization(me)}Connection: close\r\n\r\n`;
      expect(statusAndReason(await raw(world.port, request))).toBe(expected);
    }),
  );

  test('the gateway answers 502 to CONNECT and to absolute form when the site refuses connections', async () => {
    const dead = `http://dead.company.test:${world.origin.port}`;
    expect(statusAndReason(await get(world.port, me, dead))).toBe('502 connect_failed');
    expect((await openTunnel(world.port, me, dead.slice(7))).head).toContain(
      'X-Propusk-Reason: connect_failed',
    );
  });

  test('the refusal page names the site, gives the reason in Russian, links to the console, and runs no script', async () => {
    const got = await curl(world.port, me, 'http://foreign.company.test/secret?x=1');
    expect(got.body).toContain('<b>foreign.company.test</b>');
    expect(got.body).toContain('Этого сайта нет среди сайтов вашей компании');
    expect(got.body).toContain('href="http://console.test"');
    expect(got.body).not.toContain('secret');
    expect(got.head).toMatch(/^Content-Security-Policy: default-src 'none'/m);
    const evil = `GET http://a&b'c.test/ HTTP/1.1\r\nHost: x\r\n${authorization(me)}Connection: close\r\n\r\n`;
    expect(await raw(world.port, evil)).toContain('<b>a&amp;b&#39;c.test</b>');
  });

  test('a request after a refused one on the same connection is authorized separately', async () => {
    const request = (host: string, last = '') =>
      `GET http://${host}/ HTTP/1.1\r\nHost: x\r\n${authorization(me)}${last}\r\n`;
    const got = await raw(
      world.port,
      request('foreign.company.test') +
        request(site.slice(7)) +
        request('foreign.company.test', 'Connection: close\r\n'),
    );
    expect(got.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 403', 'HTTP/1.1 200', 'HTTP/1.1 403']);
  });

  test('garbage behind a request ends the connection and reaches no site', async () => {
    const before = world.origin.requests.length;
    const request = `GET http://foreign.company.test/ HTTP/1.1\r\nHost: x\r\n${authorization(me)}\r\n`;
    const got = await raw(
      world.port,
      `${request}\0\x01 nonsense\r\n\r\n${request.replace('foreign', 'crm')}`,
    );
    expect(got).toMatch(/^HTTP\/1\.1 403 /);
    expect(got).not.toMatch(/HTTP\/1\.1 [12]/);
    expect(world.origin.requests.length).toBe(before);
  });

  test("a refusal does not wait for the request's body", async () => {
    const head = `POST ${site}/ HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\n\r\nonly this`;
    expect(statusAndReason(await raw(world.port, head))).toBe('407 no_credentials');
    const expecting = `POST ${site}/ HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 9\r\n\r\n`;
    expect(statusAndReason(await raw(world.port, expecting))).toBe('407 no_credentials');
  });
});

describe('forwarding', () => {
  test("the site receives the URL's host as Host, whatever the header says", async () => {
    const got = await curl(world.port, me, '-H', 'Host: evil.test', `${site}/host`);
    expect(got.body).toBe(`hello from ${site.slice(7)}`);
    expect(world.origin.requests.at(-1)?.headers.host).toBe(site.slice(7));
  });

  test('the proxy drops hop-by-hop headers, nominated headers and credentials, and forwards the rest unchanged', async () =>
    tally.watch(async () => {
      const sent = [
        'Connection: X-Nominated, Content-Length, keep-alive',
        'X-Nominated: 1',
        'Keep-Alive: timeout=5',
        'TE: trailers',
        'Upgrade: websocket',
        'Proxy-Connection: keep-alive',
        'Proxy-Something: 1',
        'Cookie: a=1',
        'X-Kept: yes',
        'Authorization: Bearer for-the-site',
        'Content-Length: 3',
      ];
      await raw(
        world.port,
        `POST ${site}/headers HTTP/1.1\r\nHost: x\r\n${authorization(me)}${sent.join('\r\n')}\r\nConnection: close\r\n\r\nabc`,
      );
      const { headers, body } = world.origin.requests.at(-1) ?? { headers: {} };
      expect(Object.keys(headers).sort()).toEqual(
        ['authorization', 'connection', 'content-length', 'cookie', 'host', 'via', 'x-kept'].sort(),
      );
      expect(headers).toMatchObject({ 'x-kept': 'yes', cookie: 'a=1', authorization: 'Bearer for-the-site' });
      expect(body).toBe('abc');
      expect(JSON.stringify(world.origin.requests)).not.toContain(me.slice(3));
    }));

  test("the proxy drops the site's hop-by-hop headers, and keeps repeated headers repeated", async () => {
    const { head } = await curl(world.port, me, `${site}/nominate`);
    expect(head).not.toMatch(/^(x-nominated|proxy-)/im);
    expect(head.match(/^Set-Cookie: /gim)).toHaveLength(2);
    expect(head).toMatch(/^Via: 1\.1 propusk-/m);
  });

  test("a site's 407 does not reach the client as a 407", async () => {
    const got = await curl(world.port, me, `${site}/challenge`);
    expect(got.status).toBe(502);
    expect(got.head).not.toMatch(/proxy-authenticate/i);
  });

  test.each([
    ['a control character in the reason phrase', 'HTTP/1.1 200 O\x01K\r\nContent-Length: 0\r\n\r\n'],
    ['the status 000', 'HTTP/1.1 000 Zero\r\nContent-Length: 0\r\n\r\n'],
    ['the status 099', 'HTTP/1.1 099 Low\r\nContent-Length: 0\r\n\r\n'],
    [
      'an unrequested change of protocol',
      'HTTP/1.1 101 Switching\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n',
    ],
    ['something other than HTTP', 'SSH-2.0-OpenSSH_9.2p1\r\n'],
  ])('a site that answers %s harms no other site', async (_, bytes) => {
    const strange = createServer((socket) => {
      socket.on('error', () => {});
      socket.once('data', () => socket.end(bytes, 'latin1'));
    }).listen(0, '127.0.0.1');
    await once(strange, 'listening');
    const { port } = strange.address() as AddressInfo;
    world.feed.publish(company([`wiki.company.test:${port}`], { id: 2, version: port }));
    await until(() => world.gateway.index.companies.get(2)?.version === port);
    const got = await get(world.port, credentials(11), `http://wiki.company.test:${port}/`);
    expect(statusAndReason(got)).toBe('502 bad_response');
    expect((await curl(world.port, me, `${site}/`)).status).toBe(200);
    strange.close();
    world.feed.companies.delete(2);
    world.feed.send('gone', '{"companyId":2}');
    await until(() => !world.gateway.index.companies.has(2));
  });

  test('a response that the site truncates is truncated for the client too', async () => {
    const got = await get(world.port, me, `${site}/cut`);
    expect(got).toMatch(/content-length: 1000/i);
    expect(got.endsWith('half')).toBe(true);
  });

  test.each([
    ['length, then chunks', 'Content-Length: 5\r\nTransfer-Encoding: chunked\r\n'],
    ['chunks, then length', 'Transfer-Encoding: chunked\r\nContent-Length: 5\r\n'],
    ['two lengths', 'Content-Length: 5\r\nContent-Length: 6\r\n'],
    ['chunks by a strange name', 'Transfer-Encoding: xchunked\r\n'],
    ['a space before the colon', 'Transfer-Encoding : chunked\r\n'],
    ['a folded header', 'X-A: b\r\n c\r\nTransfer-Encoding\r\n : chunked\r\n'],
  ])('the gateway answers 400 to request smuggling: %s', async (_, framing) =>
    tally.watch(async () => {
      const before = world.origin.requests.length;
      const smuggled = `0\r\n\r\nGET http://${site.slice(7)}/smuggled HTTP/1.1\r\nHost: x\r\n\r\n`;
      const request = `POST ${site}/ HTTP/1.1\r\nHost: x\r\n${authorization(me)}${framing}\r\n${smuggled}`;
      expect(statusAndReason(await raw(world.port, request))).toBe('400 bad_request');
      expect(world.origin.requests.length).toBe(before);
    }),
  );

  test('a request that loops back to the gateway is refused', async () => {
    await curl(world.port, me, `${site}/first`);
    const via = String(world.origin.requests.at(-1)?.headers.via);
    expect(statusAndReason(await get(world.port, me, site, `Via: 1.0 other, ${via}\r\n`))).toBe('400 loop');
  });

  test('a client connection keeps one origin connection and shares it with no other client', async () => {
    const before = world.origin.connections();
    await curl(world.port, me, `${site}/1`, `${site}/2`, `${site}/3`);
    expect(world.origin.connections() - before).toBe(1);
    await curl(world.port, me, `${site}/4`);
    expect(world.origin.connections() - before).toBe(2);
    await until(() => world.origin.open() === 0, 1_000);
  });
});

describe('tunnels', () => {
  const request = 'GET / HTTP/1.1\r\nHost: inside\r\n\r\n';

  /** Starts a site that sends `welcome` first, and permits it to user 1. @returns its authority */
  async function talker(
    answer: (socket: Socket) => void,
    welcome = '220 welcome\n',
  ): Promise<{ authority: string; stop: () => void }> {
    const server = createServer({ allowHalfOpen: true }, (socket) => {
      socket.on('error', () => {}).write(welcome);
      answer(socket);
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const authority = `crm.company.test:${(server.address() as AddressInfo).port}`;
    const version = (world.gateway.index.companies.get(1)?.version ?? 0) + 1;
    world.feed.publish(company([...sites(world.origin.port), authority], { version }));
    await until(() => world.gateway.index.companies.get(1)?.version === version);
    return { authority, stop: () => server.close() };
  }

  test('a tunnel forwards bytes that the client sent without waiting for the reply', async () => {
    const tunnel = await openTunnel(world.port, me, site.slice(7), request);
    await until(() => tunnel.got().endsWith(`hello from ${site.slice(7)}`));
    expect(tunnel.got()).toMatch(/^HTTP\/1\.1 200 /);
    tunnel.socket.destroy();
  });

  test("a tunnel forwards one side's end and lets the other direction finish", async () => {
    const { authority, stop } = await talker(async (socket) => socket.end(`heard ${await text(socket)}`));
    const tunnel = await openTunnel(world.port, me, authority);
    await until(() => tunnel.got().includes('welcome'));
    tunnel.socket.end('all of it');
    await tunnel.closed;
    expect(tunnel.got()).toBe('220 welcome\nheard all of it');
    stop();
  });

  test('a tunnel closes at the client when the site closes without sending', async () => {
    const { authority, stop } = await talker((socket) => socket.end(), '');
    const tunnel = await openTunnel(world.port, me, authority);
    await until(() => tunnel.socket.destroyed, 1_000);
    expect([tunnel.status, tunnel.got()]).toEqual([200, '']);
    stop();
  });

  test('a tunnel closes at the client when the site resets', async () => {
    const { authority, stop } = await talker((socket) => socket.once('data', () => socket.resetAndDestroy()));
    const tunnel = await openTunnel(world.port, me, authority);
    await until(() => tunnel.got().includes('welcome'));
    tunnel.socket.write('now');
    await until(() => tunnel.socket.destroyed, 1_000);
    expect(tunnel.got()).toBe('220 welcome\n');
    stop();
  });

  test("a tunnel forwards the site's end while the client keeps sending", async () => {
    let got = '';
    const { authority, stop } = await talker((socket) => socket.on('data', (data) => (got += data)).end());
    const client = connect({ port: world.port, host: '127.0.0.1', allowHalfOpen: true });
    client.write(`CONNECT ${authority} HTTP/1.1\r\nHost: x\r\n${authorization(me)}\r\n`);
    const heard = await text(client);
    expect(heard).toMatch(/^HTTP\/1\.1 200 .*220 welcome\n$/s);
    client.end('late words');
    await until(() => got !== '');
    expect(got).toBe('late words');
    stop();
  });

  test('a tunnel closes at the site when the client leaves', async () => {
    const tunnel = await openTunnel(world.port, me, site.slice(7), request.replace('/', '/drip'));
    await until(() => tunnel.got().includes('drop'));
    expect(world.origin.open()).toBeGreaterThan(0);
    tunnel.socket.resetAndDestroy();
    await until(() => world.gateway.activeRequests() === 0 && world.origin.open() === 0);
  });
});

test('the gateway answers 431 to a request head that is too large', async () => {
  const large = `GET ${site}/ HTTP/1.1\r\nHost: x\r\nX-Large: ${'x'.repeat(70_000)}\r\n\r\n`;
  expect(statusAndReason(await raw(world.port, large))).toBe('431 bad_request');
});

test('the gateway limits a user to 512 simultaneous requests and tunnels', async () => {
  const tunnels = await Promise.all(
    Array.from({ length: 512 }, () => openTunnel(world.port, me, site.slice(7))),
  );
  expect(tunnels.filter(({ status }) => status !== 200).length).toBe(0);
  expect((await openTunnel(world.port, me, site.slice(7))).head).toContain('X-Propusk-Reason: too_many');
  for (const { socket } of tunnels) socket.destroy();
  await until(() => world.gateway.activeRequests() === 0);
  const again = await openTunnel(world.port, me, site.slice(7));
  expect(again.status).toBe(200);
  again.socket.destroy();
});

test('a client that resets during the dial causes no error', async () => {
  for (let i = 0; i < 50; i++) {
    const socket = connect(world.port, '127.0.0.1');
    socket.on('error', () => {});
    socket.write(`CONNECT ${site.slice(7)} HTTP/1.1\r\nHost: x\r\n${authorization(me)}\r\n`);
    await new Promise((resolve) => socket.once('connect', () => setImmediate(resolve)));
    socket.resetAndDestroy();
  }
  await until(() => world.gateway.activeRequests() === 0);
  expect((await curl(world.port, me, site)).status).toBe(200);
});
