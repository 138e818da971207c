import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { manifestFor } from '../../../extension/manifest.ts';
import { policyFile } from '../../../web/src/features/rollout/policy-files.ts';
import { issueCertificate } from '../../test/console-certificate.ts';
import {
  canManage,
  inFirefox,
  makeMachine,
  managedOnly,
  press,
  signIn,
  startFirefox,
  writeFile,
} from '../../test/managed-browser.ts';
import { startSigningConsole } from '../../test/signing-console.ts';

/** Fixes the address of the extension's pages, which Firefox otherwise chooses at random. */
const UUID = '6f3b1e0a-5d0c-4c5e-9a55-0d1b6a1f7c11';
const popup = `moz-extension://${UUID}/popup.html`;

/** A Firefox ESR whose policy, as the console generates it, installs a build of the extension; and its console. */
async function startManaged(changes: object = {}) {
  const machine = makeMachine();
  const { ca, ...certificate } = await issueCertificate(machine);
  const company = await startSigningConsole(machine, 'anna', certificate);
  const { firefoxId } = await company.publish('1.0.0', changes);
  const build = { source: 'signed', id: firefoxId, url: `${company.origin}/downloads/propusk.xpi` } as const;
  const { path, text } = policyFile('firefox', 'linux', build, company.origin);
  const { policies } = JSON.parse(text);
  // The console's certificate is issued by a private CA, and Mozilla did not sign the build.
  const Preferences = { 'xpinstall.signatures.required': { Value: false, Status: 'locked' } };
  writeFile(
    machine,
    path,
    JSON.stringify({ policies: { ...policies, Preferences, Certificates: { Install: [ca] } } }),
  );
  const browser = await startFirefox(machine, 'profile', {
    'network.dns.localDomains': 'anna.example.ru',
    'extensions.webextensions.uuids': JSON.stringify({ [firefoxId]: UUID }),
    // A headless browser cannot show a permission prompt.
    'extensions.webextOptionalPermissionPrompts': false,
  });
  const addons = `ChromeUtils.importESModule('resource://gre/modules/AddonManager.sys.mjs')`;
  const version = () =>
    inFirefox(browser, `${addons}.AddonManager.getAddonByID('${firefoxId}').then((found) => found?.version)`);
  /** Checks for updates as Firefox does once a day. WebDriver had disabled that. */
  const check = () =>
    inFirefox(
      browser,
      `Services.prefs.setBoolPref('extensions.update.enabled', true), ${addons}.AddonManagerPrivate.backgroundUpdateCheck()`,
    );
  await expect.poll(version).toBe('1.0.0');
  return { browser, company, version, check };
}

test.skipIf(!canManage)(
  `Firefox installs and updates the extension by policy, and its user stays signed in; it refuses changed and older updates${managedOnly}`,
  async () => {
    // Version 0.2.0 declared that it sends no data. A managed Firefox installs an update with other declarations without a prompt.
    const { gecko } = (manifestFor('firefox') as { browser_specific_settings: { gecko: object } })
      .browser_specific_settings;
    const former = { gecko: { ...gecko, data_collection_permissions: { required: ['none'] } } };
    const { browser, company, version, check } = await startManaged({ browser_specific_settings: former });
    const before = await browser.openPage(popup);
    await expect.poll(() => before('document.getElementById("console").value')).toBe(company.origin);
    await signIn(before, 'anna@romashka.ru');
    const state = `chrome.storage.local.get('state').then(({ state }) => JSON.stringify(state))`;
    const stored = await before(state);
    expect(JSON.parse(stored)).toMatchObject({ token: 'token-of-anna' });
    expect(company.calls).toContain('token-of-anna GET /api/me/access?client=firefox-extension-1.0.0');
    const downloads = () => company.calls.filter((call) => call.startsWith('GET /downloads/'));

    const list = join(company.folder, 'updates.json');
    writeFileSync(list, readFileSync(list, 'utf8').replace('"1.0.0"', '"0.9.0"'));
    await check();
    await expect.poll(downloads).toEqual(['GET /downloads/propusk.xpi', 'GET /downloads/updates.json']);

    await company.publish('2.0.0');
    const build = join(company.folder, 'propusk.xpi');
    writeFileSync(build, Buffer.concat([readFileSync(build), Buffer.from('changed')]));
    await check();
    await expect
      .poll(() => downloads().slice(2))
      .toEqual(['GET /downloads/updates.json', 'GET /downloads/propusk.xpi']);

    await company.publish('2.1.0');
    await check();
    await expect
      .poll(() => company.calls)
      .toContain('token-of-anna GET /api/me/access?client=firefox-extension-2.1.0');
    expect(company.calls.join()).not.toMatch(/extension-(0\.9|2\.0)\.0/);
    expect(await version()).toBe('2.1.0');
    const after = await browser.openPage(popup);
    expect(await after('document.body.innerText')).toMatch(/anna@romashka\.ru[^]*crm-anna\.example\.ru/);
    expect(await after(state)).toBe(stored);
    expect(company.calls.filter((call) => call.includes('/auth/'))).toEqual(['nobody POST /api/auth/login']);
  },
);

test.skipIf(!canManage)(
  `WebRTC in Firefox gives a page no address while the user forbids direct connections and all sites go through the gateway${managedOnly}`,
  async () => {
    const { browser, company } = await startManaged();
    company.access.allSites = true;
    const run = await browser.openPage(popup);
    await signIn(run, 'anna@romashka.ru');
    const { contexts } = await browser.send('browsingContext.getTree');
    const target = { context: contexts[0].context };
    await browser.send('browsingContext.navigate', {
      ...target,
      url: `${company.origin}/call`,
      wait: 'complete',
    });
    /** The number of ICE candidates that a page gathers. */
    const addresses = async () => {
      const expression = `new Promise(async (resolve) => {
        const connection = new RTCPeerConnection();
        let found = 0;
        connection.onicecandidate = ({ candidate }) => (candidate === null ? resolve(found) : (found += Number(candidate.candidate !== '')));
        connection.createDataChannel('test');
        await connection.setLocalDescription(await connection.createOffer());
      })`;
      const params = { target, awaitPromise: true, expression };
      return (await browser.send('script.evaluate', params)).result.value;
    };
    expect(await addresses()).toBeGreaterThan(0);
    await press(browser, popup, '.webrtc button');
    await expect.poll(() => run('document.body.innerText')).toContain('Прямые соединения WebRTC запрещены');
    await expect.poll(addresses).toBe(0);
    await press(browser, popup, '.webrtc button');
    await expect.poll(addresses).toBeGreaterThan(0);
  },
);

test.skipIf(!canManage)(
  `in Firefox only the company's console learns the id of the extension, which contains the domain of the company${managedOnly}`,
  async () => {
    const { browser, company } = await startManaged();
    const foreign = createServer((_, reply) => reply.setHeader('content-type', 'text/html').end('<p>site'));
    onTestFinished(() => void foreign.close());
    await once(foreign.listen(0, '127.0.0.1'), 'listening');
    const run = await browser.openPage(popup);
    await expect.poll(() => run('document.getElementById("console").value')).toBe(company.origin);
    const { contexts } = await browser.send('browsingContext.getTree');
    const { context } = contexts[0];
    /** Opens the pairing page of an origin. @returns its attributes that the extension wrote */
    const open = async (origin: string) => {
      const url = `${origin}/extension/pair`;
      await browser.send('browsingContext.navigate', { context, url, wait: 'complete' });
      // The worker's reply arrives after the page has loaded.
      const expression = `new Promise((resolve) => setTimeout(resolve, 1_000))
        .then(() => [document.documentElement.dataset.propuskExtension, document.documentElement.dataset.propuskId].join())`;
      const params = { target: { context }, awaitPromise: true, expression };
      return (await browser.send('script.evaluate', params)).result.value;
    };
    expect(await open(company.origin)).toBe('1.0.0,propusk@anna.example.ru');
    const { port } = foreign.address() as AddressInfo;
    expect(await open(`http://127.0.0.1:${port}`)).toBe('1.0.0,');
  },
);
