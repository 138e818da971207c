import { chromium, expect, test } from '@playwright/test';
import { type Certificate, makeCertificate } from '@propusk/test-kit/gateway/certificate';
import { type EchoSite, startEchoSite } from '@propusk/test-kit/gateway/echo-site';
import { company, credentials, startWorld, type World } from '@propusk/test-kit/gateway/world';

/**
 * Chromium as the gateway's client, over plain TCP and TLS: its own ClientHello, WebSocket and 407
 * handling.
 */

let certificate: Certificate;
let site: EchoSite;

test.beforeAll(async () => {
  certificate = await makeCertificate('DNS:crm.company.test', 'IP:127.0.0.1');
  site = await startEchoSite(certificate);
});
test.afterAll(async () => {
  await site.stop();
  await certificate.remove();
});

for (const scheme of ['http', 'https'] as const) {
  test(`Chromium uses the gateway as an ${scheme} proxy for pages, a WebSocket and a refusal page`, async () => {
    const tls = { GATEWAY_TLS_CERT: certificate.certPath, GATEWAY_TLS_KEY: certificate.keyPath };
    const world: World = await startWorld(
      (port) => [company([`crm.company.test:${site.port}`, `crm.company.test:${port}`])],
      scheme === 'https' ? tls : {},
    );
    const [username = '', password = ''] = credentials(1).split(':');
    const { launchOptions } = test.info().project.use;
    const browser = await chromium.launch({
      ...launchOptions,
      proxy: { server: `${scheme}://127.0.0.1:${world.port}`, username, password },
      // The certificates are self-signed.
      args: [...(launchOptions?.args ?? []), '--ignore-certificate-errors'],
    });
    try {
      const page = await browser.newPage({ ignoreHTTPSErrors: true });
      const host = `crm.company.test:${site.port}`;
      await page.goto(`https://${host}/`);
      await expect(page.getByRole('heading')).toHaveText(`secure ${host}`);
      const heard = await page.evaluate(
        (url) =>
          new Promise<string>((resolve, reject) => {
            const socket = new WebSocket(url);
            socket.addEventListener('open', () => socket.send('one'));
            socket.addEventListener('message', ({ data }) => resolve(String(data)));
            socket.addEventListener('error', () => reject(new Error('No WebSocket')));
          }),
        `wss://${host}/`,
      );
      expect(heard).toBe('heard one');
      const plain = await page.goto(`http://crm.company.test:${world.origin.port}/`);
      expect(plain?.status()).toBe(200);
      const refused = await page.goto('http://foreign.company.test/');
      expect(refused?.status()).toBe(403);
      expect(refused?.headers()['x-propusk-reason']).toBe('site_unknown');
      await expect(page.getByRole('heading')).toHaveText('Доступ закрыт');
    } finally {
      await browser.close();
      await world[Symbol.asyncDispose]();
    }
  });
}
