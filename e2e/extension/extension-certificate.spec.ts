import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { type BrowserContext, expect, test } from '@playwright/test';
import { type Certificate, makeCertificate } from '@propusk/test-kit/gateway/certificate';
import { launchWithExtension } from '../support/extension-browser.ts';
import { startWorldOnce } from '../support/extension-world.ts';

/**
 * The extension in Chromium, with a gateway and a console whose certificates the browser does not trust.
 */
let certificate: Certificate;
let server: Server;
let profile: string;
let context: BrowserContext;
let home: string;

test.describe.configure({ mode: 'serial' });
test.beforeAll(async () => {
  certificate = await makeCertificate('IP:127.0.0.1');
  server = createServer(certificate, (_, response) => response.end()).listen(0, '127.0.0.1');
  await once(server, 'listening');
  ({ context, profile, home } = await launchWithExtension());
});
test.afterAll(async () => {
  await context.close();
  server.close();
  await certificate.remove();
  await rm(profile, { recursive: true, force: true });
});

const world = startWorldOnce(({ gateway }) => ({
  GATEWAY_TLS_CERT: certificate.certPath,
  GATEWAY_TLS_KEY: certificate.keyPath,
  GATEWAY_PUBLIC_URL: `https://127.0.0.1:${gateway}`,
}));

async function signIn(console: string) {
  const { agent } = world();
  const popup = await context.newPage();
  await popup.goto(`${home}/popup.html`);
  await popup.getByLabel('Адрес консоли').fill(console);
  await popup.getByLabel('Почта').fill(agent.email);
  await popup.getByLabel('Пароль').fill(agent.password);
  await popup.getByRole('button', { name: 'Войти' }).click();
  return popup;
}

test('the popup says that the browser does not trust the certificate of the console', async () => {
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const popup = await signIn(`https://${host}`);
  await expect(popup.getByRole('alert')).toContainText(`не доверяет сертификату консоли ${host}`);
  await popup.getByLabel('Адрес консоли').fill('https://127.0.0.1:1');
  await popup.getByRole('button', { name: 'Войти' }).click();
  await expect(popup.getByRole('alert')).toContainText('Консоль не отвечает');
  await popup.close();
});

test('the extension says that the browser does not trust the certificate of the gateway', async () => {
  const popup = await signIn(world().product.consoleUrl);
  await expect(popup.getByText('Пётр Иванов')).toBeVisible();
  const page = await context.newPage();
  await page.goto(world().lockedUrl).catch(() => null);
  await expect(page.getByText('не доверяет сертификату шлюза')).toBeVisible({ timeout: 20_000 });
});
