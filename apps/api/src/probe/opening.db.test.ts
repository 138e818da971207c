import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createPolicy } from '@propusk/contract/policies';
import { getProbePaths, getSiteCheck, setProbePaths } from '@propusk/contract/probe';
import { setSupport } from '@propusk/contract/records';
import { createSites, getSite, updateSite } from '@propusk/contract/sites';
import { createAdmin } from '@propusk/test-kit/api/admin';
import {
  companyBehind,
  EGRESS,
  type ProbeWorld,
  probe,
  startProbeWorld,
} from '@propusk/test-kit/api/probe-world';
import { SITE } from '@propusk/test-kit/locks/site';
import { afterAll, afterEach, beforeAll, describe, expect, inject, test } from 'vitest';

/** Tests which responses through a proxy make a site reachable, and which paths a probe requests besides the first page. */

type Answer = (asked: IncomingMessage, reply: ServerResponse) => void;
/** Returns the status of the response to a stranger's request. */
type Strangers = (asked: IncomingMessage) => number;
const refuse: Strangers = () => 403;

let world: ProbeWorld;
let company: Awaited<ReturnType<typeof companyBehind>>;
let server: Server | undefined;
beforeAll(async () => {
  world = await startProbeWorld(inject('serverUrl'));
});
afterAll(() => world.close());
afterEach(async () => {
  server?.closeAllConnections();
  server?.close();
});

/** Starts a site that refuses strangers, and adds it to a new company. @returns its address and id */
async function locked(answer: Answer, { path = '', strangers = refuse } = {}) {
  server = createServer((asked, reply) => {
    if (asked.socket.remoteAddress === EGRESS) return answer(asked, reply);
    reply.writeHead(strangers(asked)).end();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = `${SITE}:${(server.address() as AddressInfo).port}`;
  company = await companyBehind(world);
  return { address, id: await company.add(`http://${address}${path}`) };
}

const run = (id: number) => probe(world.api, company.token, id);
const status =
  (code: number, headers: Record<string, string> = {}): Answer =>
  (_, reply) =>
    reply.writeHead(code, headers).end();

describe('the verdict for a response through the proxy', () => {
  test.each([
    [200, 'protected', null],
    [204, 'protected', null],
    [401, 'protected', null],
    [404, 'protected', 'начальный путь'],
    [405, 'protected', 'начальный путь'],
    [410, 'protected', 'начальный путь'],
    [400, 'unknown', 'сертификат пользователя'],
    [429, 'unknown', 'начальный путь'],
    [304, 'unknown', 'начальный путь'],
    [403, 'closed', 'Адрес прокси'],
    [500, 'server_error', 'журнал'],
  ])('a site that answers %i through the proxy gets the verdict %s', async (code, verdict, advice) => {
    const { id } = await locked(status(code));
    // The second probe confirms the egress address that the first probe found.
    if (code === 403) await run(id);
    const check = await run(id);
    expect(check).toMatchObject({ verdict });
    if (advice === null) expect(check.advice).toBeNull();
    else expect(check.advice).toContain(advice);
    if (verdict === 'unknown') expect(check.meaning).toContain(String(code));
  });

  test('a site is reachable if a start path answers 200 and the first page 403 through the proxy', async () => {
    const { id } = await locked(({ url }, reply) => reply.writeHead(url === '/base/' ? 200 : 403).end(), {
      path: '/base/',
    });
    expect(await run(id)).toMatchObject({ verdict: 'protected', proof: { through: { passed: 1, of: 1 } } });
  });

  test('a site is reachable if the first page answers 200 and a start path 403 through the proxy', async () => {
    const { id } = await locked(({ url }, reply) => reply.writeHead(url === '/' ? 200 : 403).end(), {
      path: '/base/',
    });
    expect(await run(id)).toMatchObject({ verdict: 'protected', proof: { through: { passed: 1, of: 1 } } });
  });

  test('a site with a start path that is open to strangers gets the verdict open', async () => {
    const strangers = ({ url }: IncomingMessage) => (url?.startsWith('/base/') ? 200 : 403);
    const { id } = await locked(status(200), { path: '/base/', strangers });
    expect(await run(id)).toMatchObject({ verdict: 'open', meaning: expect.stringContaining('/base/') });
  });
});

describe('the verdict for a site that answers the proxy with a redirect', () => {
  test('a site that redirects to its own sign-in page is reachable', async () => {
    const { id } = await locked(({ url }, reply) =>
      url === '/' ? reply.writeHead(302, { location: '/login?next=/' }).end() : reply.end('sign in'),
    );
    const check = await run(id);
    expect(check).toMatchObject({ verdict: 'protected' });
    expect(check.steps.map(({ detail }) => detail)).toContain('200, после перехода на /login');
  });

  test('the verdict names a redirect target that is not a site of the company', async () => {
    const { id } = await locked(status(301, { location: 'https://other.example.ru/' }));
    const check = await run(id);
    expect(check).toMatchObject({ verdict: 'unknown', leadsTo: 'other.example.ru' });
    expect([check.meaning, check.advice]).toEqual([
      expect.stringContaining('переадресует на other.example.ru'),
      expect.stringContaining('Добавьте сайт other.example.ru'),
    ]);
  });

  test('a site that redirects to a second site is reachable only if the same users may access both sites', async () => {
    const { id } = await locked(status(301, { location: 'http://other.example.ru/' }));
    const otherId = await company.add('other.example.ru');
    const check = await run(id);
    expect(check).toMatchObject({ verdict: 'protected', leadsTo: null });
    expect(check.steps.map(({ detail }) => detail)).toContain(
      'переадресует на other.example.ru, который открыт тем же сотрудникам',
    );
    const { token, proxyId, policyId } = company;
    const { api } = world;
    await api.agent(token, [policyId]);
    const others = await api.must(token, createPolicy, { body: { name: 'Другие', proxyId } });
    // From here on, the agent reaches only the first site.
    await api.must(token, updateSite, { params: { id: otherId }, body: { politics: [others.id] } });
    expect(await run(id)).toMatchObject({ verdict: 'unknown', leadsTo: 'other.example.ru' });
  });

  test.each(['client_id=x&response_type=code', 'SAMLRequest=abc', 'RelayState=x'])(
    'a redirect to a sign-in service (%s) counts as opening, and the step names the service',
    async (query) => {
      const { id } = await locked(status(302, { location: `https://login.example.net/auth?${query}` }));
      const check = await run(id);
      expect(check).toMatchObject({ verdict: 'protected', leadsTo: null });
      expect(check.steps.map(({ detail }) => detail)).toContain(
        'переадресует на страницу входа login.example.net',
      );
    },
  );

  test('a site with a redirect loop gets the verdict unknown', async () => {
    const { id } = await locked(status(302, { location: '/' }));
    expect(await run(id)).toMatchObject({ verdict: 'unknown', meaning: expect.stringContaining('302') });
  });

  test('a site that redirects to the same path with a query is reachable', async () => {
    const { id } = await locked(status(302, { location: '/?lang=ru' }));
    expect(await run(id)).toMatchObject({ verdict: 'protected' });
  });

  test.each(['//other.example.test/x', '//other.example.test:81/x'])(
    'a redirect or link to the path %s of the site requests no other host',
    async (path) => {
      let connections = 0;
      const other = createServer(() => {}).listen(0, '127.0.0.9');
      other.on('connection', () => (connections += 1));
      const asked: string[] = [];
      const { id, address } = await locked(({ url = '' }, reply) => {
        asked.push(url);
        if (url === '/') reply.writeHead(302, { location: `http://${address}${path}` }).end();
        else reply.setHeader('content-type', 'text/html').end(`<a href="http://${address}${path}/y/">x</a>`);
      });
      await run(id);
      // The probe must treat this text as a path of the site, not as a URL of another host.
      expect(asked).toContain(path);
      expect(connections).toBe(0);
      other.close();
    },
  );

  test('a response 101 (switching protocols) ends the request', async () => {
    const { id } = await locked((_, reply) => {
      reply.socket?.end('HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n');
    });
    expect(await run(id)).toMatchObject({ state: 'done' });
  });

  test('the probe does not follow a redirect whose path contains an action word such as logout', async () => {
    const asked: string[] = [];
    const { id } = await locked(({ url = '' }, reply) => {
      asked.push(url);
      reply.writeHead(302, { location: '/logout' }).end();
    });
    expect(await run(id)).toMatchObject({ verdict: 'unknown' });
    expect(asked).not.toContain('/logout');
  });
});

describe('the probe paths of a site', () => {
  const paths = (id: number) => world.api.must(company.token, getProbePaths, { params: { id } });

  test('the path of a pasted site address becomes a start path', async () => {
    company = await companyBehind(world);
    const { api } = world;
    const { token } = company;
    const id = await company.add('https://one.example.ru/base/?x=1#y');
    expect(await paths(id)).toMatchObject({ startPaths: ['/base/'], openPaths: [] });
    expect(await api.must(token, getSite, { params: { id } })).toMatchObject({ address: 'one.example.ru' });
    const { rows } = await api.must(token, createSites, {
      body: [{ address: 'two.example.ru/crm' }, { address: 'three.example.ru' }],
    });
    expect((await paths(rows[0]?.id ?? 0)).startPaths).toEqual(['/crm']);
    expect((await paths(rows[1]?.id ?? 0)).startPaths).toEqual([]);
    await api.must(token, updateSite, { params: { id }, body: { address: 'one.example.ru/second' } });
    expect((await paths(id)).startPaths).toEqual(['/base/', '/second']);
  });

  test('a PUT with If-Match replaces the probe paths of a site', async () => {
    company = await companyBehind(world);
    const { api } = world;
    const { token } = company;
    const params = { id: await company.add('four.example.ru/base/') };
    const body = { startPaths: ['/база/', '/crm'], openPaths: ['/favicon.ico'] };
    const { version } = await paths(params.id);
    const headers = { 'if-match': `"${version}"` };
    const saved = await api.must(token, setProbePaths, { params, body, headers });
    expect(saved).toMatchObject({ startPaths: ['/%D0%B1%D0%B0%D0%B7%D0%B0/', '/crm'], version: version + 1 });
    expect((await api.call(token, setProbePaths, { params, body, headers })).status).toBe(412);
    const long = { startPaths: [`/${'ж'.repeat(199)}`], openPaths: [] };
    const { startPaths } = await api.must(token, setProbePaths, { params, body: long });
    expect(decodeURI(startPaths[0] ?? '')).toBe(long.startPaths[0]);
    await api.must(token, setProbePaths, { params, body });
    for (const wrong of ['base', '/a?b', '/a#b', '/', `/${'x'.repeat(200)}`]) {
      const reply = await api.call(token, setProbePaths, { params, body: { ...body, startPaths: [wrong] } });
      expect([reply.status, Object.keys(reply.error.fields ?? {})], wrong).toEqual([400, ['startPaths.0']]);
    }
    const many = Array.from({ length: 11 }, (_, i) => `/${i}`);
    expect(
      (await api.call(token, setProbePaths, { params, body: { ...body, startPaths: many } })).status,
    ).toBe(400);
    expect(await paths(params.id)).toMatchObject({ startPaths: saved.startPaths, version: version + 3 });
  });

  test('a URL that the owner leaves open does not make the verdict open', async () => {
    const page: Answer = ({ url }, reply) =>
      reply
        .setHeader('content-type', 'text/html')
        .end(url === '/' ? '<a href="/list.pdf">x</a><img src="/b.png">' : '');
    const strangers = ({ url }: IncomingMessage) => (url === '/list.pdf' ? 200 : 403);
    const { id } = await locked(page, { strangers });
    const open = await run(id);
    expect(open).toMatchObject({ verdict: 'open', meaning: expect.stringContaining('/list.pdf') });
    expect(open.advice).toContain('Открыто намеренно');
    const { token } = company;
    const body = { startPaths: [], openPaths: ['/list.pdf'] };
    await world.api.must(token, setProbePaths, { params: { id }, body });
    const check = await run(id);
    expect(check).toMatchObject({ verdict: 'protected' });
    expect(check.meaning).toContain('Открыто намеренно: /list.pdf.');
    expect(check.meaning).toMatch(/Посторонним отказано: 2 страницы и файла, \d+ запрос/);
  });

  test('an ADMIN sees the paths of a probe only while the company allows support', async () => {
    const page: Answer = (_, reply) =>
      reply.setHeader('content-type', 'text/html').end('<a href="/list.pdf">x</a>');
    const strangers = ({ url }: IncomingMessage) => (url === '/list.pdf' ? 200 : 403);
    const { id } = await locked(page, { strangers });
    await run(id);
    const { api } = world;
    const admin = await createAdmin(api);
    const seen = async (token: string) =>
      JSON.stringify(await api.must(token, getSiteCheck, { params: { id } }));
    expect(await seen(company.token)).toContain('/list.pdf');
    expect(await seen(admin)).not.toContain('list.pdf');
    await api.must(company.token, setSupport, { body: { allowed: true } });
    expect(await seen(admin)).toContain('/list.pdf');
  });

  test('the first probe by a new version of the probe rules does not mark the site as drifted', async () => {
    let code = 403;
    const { id } = await locked(status(200), { strangers: () => code });
    const { api } = world;
    const protection = async () => (await api.must(company.token, getSite, { params: { id } })).protection;
    await run(id);
    await api.database.pool.query('update site_checks set rules = 0 where site_id = $1', [id]);
    code = 200;
    await run(id);
    expect(await protection()).toMatchObject({ verdict: 'open', drifted: false });
    code = 403;
    await run(id);
    code = 200;
    await run(id);
    expect(await protection()).toMatchObject({ verdict: 'open', drifted: true });
    // A site that is marked as drifted stays marked after the first probe by a new version of the probe rules.
    await api.database.pool.query('update site_checks set rules = 0 where site_id = $1', [id]);
    await run(id);
    expect(await protection()).toMatchObject({ verdict: 'open', drifted: true });
  });

  test('an edit of the probe paths during a probe makes the next probe due at once', async () => {
    const { api } = world;
    let edit = async () => {};
    const { id } = await locked((_, reply) => void edit().then(() => reply.end()));
    edit = async () => {
      edit = async () => {};
      const body = { startPaths: ['/new/'], openPaths: [] };
      await api.must(company.token, setProbePaths, { params: { id }, body });
    };
    await run(id);
    const { rows } = await api.database.pool.query(
      'select sample, next_at <= now() as due from site_checks where site_id = $1',
      [id],
    );
    expect(rows).toEqual([{ sample: null, due: true }]);
  });
});
