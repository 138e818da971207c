import { connect } from 'node:net';
import { type Certificate, makeCertificate } from '@propusk/test-kit/gateway/certificate';
import { curl, get, statusAndReason } from '@propusk/test-kit/gateway/client';
import { startWebServer, type WebServer, webServers } from '@propusk/test-kit/gateway/web-servers';
import {
  authorization,
  company,
  credentials,
  startWorld,
  until,
  type World,
} from '@propusk/test-kit/gateway/world';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

/** Independent web servers behind the gateway: Apache, nginx, Caddy. */

const me = credentials(1);
let certificate: Certificate;

beforeAll(async () => {
  certificate = await makeCertificate('DNS:crm.company.test');
});
afterAll(() => certificate.remove());

describe.each(webServers)('behind the gateway, %s', (name) => {
  let server: WebServer;
  let world: World;
  let host: string;
  let sites: string[];

  beforeAll(async () => {
    server = await startWebServer(name, certificate);
    host = `crm.company.test:${server.port}`;
    sites = [host, `crm.company.test:${server.tlsPort}`];
    world = await startWorld(() => [company(sites)]);
  });
  afterAll(async () => {
    await world?.[Symbol.asyncDispose]();
    await server?.stop();
  });

  test('a site answers 200 in absolute form, through CONNECT, and over TLS', async () => {
    const body = `${name} says hello\n`;
    expect(await curl(world.port, me, `http://${host}/`)).toMatchObject({ status: 200, body });
    expect(await curl(world.port, me, '--proxytunnel', `http://${host}/`)).toMatchObject({
      status: 200,
      body,
    });
    const secure = ['--cacert', certificate.certPath, `https://crm.company.test:${server.tlsPort}/`];
    expect(await curl(world.port, me, ...secure)).toMatchObject({ status: 200, connectStatus: 200, body });
  });

  test("a site's own refusal reaches the client unchanged", async () => {
    const got = await curl(world.port, me, `http://${host}/nothing-here`);
    expect(got.status).toBe(404);
    expect(got.head).not.toMatch(/x-propusk-reason/i);
    expect((await curl(world.port, me, '-I', `http://${host}/`)).status).toBe(200);
  });

  test('each request of a kept-alive connection is authorized by itself', async () => {
    const socket = connect(world.port, '127.0.0.1');
    let got = '';
    socket.setEncoding('latin1').on('data', (data: string) => (got += data));
    const ask = async (authority: string, who = me) => {
      got = '';
      socket.write(`GET http://${authority}/ HTTP/1.1\r\nHost: x\r\n${authorization(who)}\r\n`);
      const whole = () => {
        const [head = '', body] = got.split('\r\n\r\n');
        const length = Number(/^content-length: (\d+)/im.exec(head)?.[1] ?? -1);
        return body !== undefined && Buffer.byteLength(body, 'latin1') >= length && length >= 0;
      };
      await until(whole);
      return statusAndReason(got);
    };
    expect(await ask(host)).toBe('200');
    expect(await ask('foreign.company.test')).toBe('403 site_unknown');
    expect(await ask(host)).toBe('200');
    expect(await ask(host, credentials(2))).toBe('403 no_policy');
    expect(await ask(host, credentials(1, { epoch: 9 }))).toBe('407 expired');
    expect(await ask(host)).toBe('200');
    world.feed.publish(company(sites, { version: 2, users: [2] }));
    await until(() => world.gateway.index.companies.get(1)?.version === 2);
    expect(await ask(host)).toBe('403 no_policy');
    expect(await ask(host, credentials(2))).toBe('200');
    expect(socket.destroyed).toBe(false);
    socket.destroy();
    expect(statusAndReason(await get(world.port, me, `http://${host}/`))).toBe('403 no_policy');
  });
});
