import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeCertificate } from '@propusk/test-kit/gateway/certificate';
import { expect, onTestFinished, test } from 'vitest';
import { policyFile } from '../../../web/src/features/rollout/policy-files.ts';
import {
  canManage,
  click,
  makeMachine,
  managedOnly,
  type Run,
  signIn,
  startChromium,
  writeFile,
} from '../../test/managed-browser.ts';
import { type SigningConsole, startSigningConsole } from '../../test/signing-console.ts';

/** A machine whose policy, as the console generates it, installs version 1.0.0 from the console of a company. */
async function makeManaged({ isPinned = true } = {}) {
  const machine = makeMachine();
  const certificate = await makeCertificate('DNS:*.example.ru');
  onTestFinished(certificate.remove);
  const company = await startSigningConsole(machine, 'anna', certificate);
  const { chromiumId } = await company.publish('1.0.0');
  const url = `${company.origin}/downloads/updates.xml`;
  const build = { source: 'signed', id: chromiumId, url } as const;
  const { path, text } = policyFile('chromium', 'linux', build, company.origin);
  const { '3rdparty': pin, ...policies } = JSON.parse(text);
  writeFile(machine, path, JSON.stringify({ ...policies, ...(isPinned && { '3rdparty': pin }) }));
  return {
    machine,
    certificate,
    company,
    popup: `chrome-extension://${chromiumId}/popup.html`,
    chromiumId,
    /** The versions of the extension in the folder of a profile. */
    versions(profile: string) {
      const folder = join(machine, profile, 'Default/Extensions', chromiumId);
      return existsSync(folder) ? readdirSync(folder).toSorted() : [];
    },
  };
}

/** A file with one changed byte, as a damaged or hostile server sends it. */
function damage(file: string): void {
  const bytes = readFileSync(file);
  bytes.writeUInt8(bytes.readUInt8(bytes.length - 1) ^ 1, bytes.length - 1);
  writeFileSync(file, bytes);
}

test.skipIf(!canManage)(
  `Chromium installs the signed build by policy, and refuses a build with one changed byte${managedOnly}`,
  async () => {
    const { machine, company, versions } = await makeManaged();
    damage(join(company.folder, 'propusk.crx'));
    const { log } = await startChromium(machine, 'first');
    await expect.poll(log).toContain('CRX_SIGNATURE_VERIFICATION_FAILED');
    expect(versions('first')).toEqual([]);

    await company.publish('1.0.1');
    await startChromium(machine, 'second');
    await expect.poll(() => versions('second')).toEqual(['1.0.1_0']);
  },
);

test.skipIf(!canManage)(
  `Chromium updates the extension, and its user stays signed in; it refuses an update with another key, version or content${managedOnly}`,
  async () => {
    const { machine, certificate, company, popup, versions } = await makeManaged();
    const { log, openPage } = await startChromium(machine, 'profile');
    const before = await openPage(popup);
    await expect.poll(() => before('document.getElementById("console").value')).toBe(company.origin);
    await signIn(before, 'anna@romashka.ru');
    const state = `chrome.storage.local.get('state').then(({ state }) => state)`;
    const stored = await before(state);
    expect(stored).toMatchObject({ token: 'token-of-anna', access: { sites: ['crm-anna.example.ru'] } });

    const extensions = await openPage('chrome://extensions');
    // The call behind the "Update" button of chrome://extensions. Chromium checks for updates by itself only every few hours.
    const check = () => extensions('chrome.developerPrivate.autoUpdate()');
    const list = join(company.folder, 'updates.xml');
    const honest = readFileSync(list, 'utf8');
    const offer = (codebase: string, version: string) =>
      writeFileSync(
        list,
        honest.replace(/codebase="[^"]+" version="[^"]+"/, `codebase="${codebase}" version="${version}"`),
      );
    const crx = `${company.origin}/downloads/propusk.crx`;

    const mallory = await startSigningConsole(machine, 'mallory', certificate);
    await mallory.publish('9.0.0');
    offer(`${mallory.origin}/downloads/propusk.crx`, '9.0.0');
    await check();
    await expect.poll(log).toMatch(/Expected ID "\w+", but ID was/);
    expect(mallory.calls).toEqual(['GET /downloads/propusk.crx']);

    const asked = company.calls.length;
    offer(crx, '0.9.0');
    await check();
    expect(company.calls.slice(asked)).toEqual(['GET /downloads/updates.xml']);

    offer(crx, '3.0.0');
    await check();
    await expect.poll(log).toContain('Expected version "3.0.0", but version was "1.0.0"');

    await company.publish('1.1.0');
    damage(join(company.folder, 'propusk.crx'));
    await check();
    await expect.poll(log).toContain('CRX_SIGNATURE_VERIFICATION_FAILED');
    expect(versions('profile')).toEqual(['1.0.0_0']);
    expect(await before(state)).toEqual(stored);

    await company.publish('1.2.0');
    await check();
    // The updated extension asks the console with the session that the former version stored.
    await expect
      .poll(() => company.calls)
      .toContain('token-of-anna GET /api/me/access?client=chromium-extension-1.2.0');
    const after = await openPage(popup);
    expect(await after('chrome.runtime.getManifest().version')).toBe('1.2.0');
    expect(await after('document.body.innerText')).toMatch(/anna@romashka\.ru[^]*crm-anna\.example\.ru/);
    expect(await after(state)).toEqual(stored);
    expect(versions('profile')).toContain('1.2.0_0');
    expect(company.calls.filter((call) => call.includes('/auth/'))).toEqual(['nobody POST /api/auth/login']);
  },
);

test.skipIf(!canManage)(
  `the installed extension reloads an open pairing page and no other page, and gives its id only to the company's console${managedOnly}`,
  async () => {
    const { machine, certificate, company, popup, chromiumId } = await makeManaged();
    const foreign = await startSigningConsole(machine, 'mallory', certificate);
    const { promise, resolve } = Promise.withResolvers<void>();
    company.released = promise;
    const { openPage } = await startChromium(machine, 'profile');
    const pages: Run[] = [];
    for (const path of ['/extension/pair#x', '/extension', '/']) {
      const run = await openPage(company.origin + path);
      await expect.poll(() => run('document.body?.innerText')).toBe('console');
      await run('window.isFirstLoad = true');
      pages.push(run);
    }
    resolve();
    const [pair, ...others] = pages;
    const version = 'document.documentElement.dataset.propuskExtension';
    const id = 'document.documentElement.dataset.propuskId';
    const seen = `[window.isFirstLoad, ${version}, location.hash].join()`;
    await expect.poll(() => pair?.(seen)).toBe(',1.0.0,#x');
    for (const other of others) expect(await other(seen)).toBe('true,,');

    // The browser applies the policy of an extension only after the installation.
    const signInPage = await openPage(popup);
    await expect.poll(() => signInPage('document.getElementById("console").value')).toBe(company.origin);
    const stranger = await openPage(`${foreign.origin}/extension/pair`);
    await expect.poll(() => stranger(version)).toBe('1.0.0');
    // The foreign page sends its request first, so its reply has arrived when the console's page has the id.
    const own = await openPage(`${company.origin}/extension/pair`);
    await expect.poll(() => own(id)).toBe(chromiumId);
    expect(await stranger(id)).toBeUndefined();
  },
);

test.skipIf(!canManage)(
  `a managed Chromium refuses a console that its policy does not name, and sends no code to that console${managedOnly}`,
  async () => {
    const { machine, certificate, company, popup } = await makeManaged();
    const mallory = await startSigningConsole(machine, 'mallory', certificate);
    const { openPage, send } = await startChromium(machine, 'profile');
    const run = await openPage(popup);
    await expect.poll(() => run('document.getElementById("console").value')).toBe(company.origin);
    expect(await run('document.getElementById("console").readOnly')).toBe(true);
    await openPage(`${mallory.origin}/extension/pair#${'x'.repeat(43)}`);
    const page = popup.replace('popup', 'pair');
    const isAsked = async () =>
      (await send('Target.getTargets')).targetInfos.some(({ url }: { url: string }) => url === page);
    await expect.poll(isAsked).toBe(true);
    const text = await (await openPage(page))('document.body.innerText');
    expect(text).toContain('Эту консоль подключить нельзя');
    expect(text).toContain(`Администратор компании разрешил только консоль ${company.origin}.`);
    expect(mallory.calls).toEqual([]);
  },
);

test.skipIf(!canManage)(
  `two profiles of Chromium that are signed in at different consoles do not share sessions or routes${managedOnly}`,
  async () => {
    const { machine, certificate, company, popup } = await makeManaged({ isPinned: false });
    const other = await startSigningConsole(machine, 'boris', certificate);
    const enter = async (name: string, { origin }: SigningConsole) => {
      const { openPage } = await startChromium(machine, name);
      const run = await openPage(popup);
      await signIn(run, `${name}@romashka.ru`, origin);
      return run;
    };
    const profiles = [await enter('anna', company), await enter('boris', other)] as const;
    for (const [run, own, foreign] of [
      [profiles[0], 'anna', 'boris'],
      [profiles[1], 'boris', 'anna'],
    ] as const) {
      await click(run, 'footer button');
      const kept = await run(`Promise.all([chrome.storage.local.get(), chrome.proxy.settings.get({})])
        .then((found) => JSON.stringify(found))`);
      expect(kept).toContain(`token-of-${own}`);
      expect(kept).toContain(`crm-${own}.example.ru`);
      expect(kept).not.toContain(foreign);
    }
    expect(company.calls.join()).not.toContain('token-of-boris');
    expect(other.calls.join()).not.toContain('token-of-anna');
  },
);

test.skipIf(!canManage)(
  `WebRTC sends no UDP past the gateway while the user forbids it and all sites go through the gateway${managedOnly}`,
  async () => {
    const { machine, company, popup, chromiumId } = await makeManaged();
    company.access.allSites = true;
    const stun = createSocket('udp4');
    let packets = 0;
    stun.on('message', () => {
      packets++;
    });
    await once(stun.bind(0, '127.0.0.1'), 'listening');
    onTestFinished(() => void stun.close());
    let { openPage, stop } = await startChromium(machine, 'profile');
    await signIn(await openPage(popup), 'anna@romashka.ru');
    await stop();
    // A headless browser cannot show the permission prompt, so the test stores the granted permission in the profile.
    const preferences = join(machine, 'profile/Default/Preferences');
    const content = JSON.parse(readFileSync(preferences, 'utf8'));
    content.extensions.settings[chromiumId].runtime_granted_permissions = { api: ['privacy'] };
    writeFileSync(preferences, JSON.stringify(content));
    ({ openPage, stop } = await startChromium(machine, 'profile'));

    /** Gathers candidates of a connection. @returns whether a request arrived at the STUN server */
    const isOpen = async () => {
      const page = await openPage(`${company.origin}/call`);
      await expect.poll(() => page('document.body?.innerText')).toBe('console');
      const before = packets;
      await page(`new Promise(async (resolve) => {
        const connection = new RTCPeerConnection({ iceServers: [{ urls: 'stun:127.0.0.1:${stun.address().port}' }] });
        connection.onicecandidate = ({ candidate }) => candidate === null && resolve();
        setTimeout(resolve, 2_000);
        connection.createDataChannel('test');
        await connection.setLocalDescription(await connection.createOffer());
      })`);
      return packets > before;
    };
    const run = await openPage(popup);
    const shows = async (text: string) => {
      await expect.poll(() => run('document.body.innerText')).toContain(text);
    };
    await shows('могут соединяться напрямую');
    expect(await isOpen()).toBe(true);
    await click(run, '.webrtc button');
    await shows('Прямые соединения WebRTC запрещены');
    await expect.poll(isOpen).toBe(false);
    await click(run, '.webrtc button');
    await shows('могут соединяться напрямую');
    expect(await isOpen()).toBe(true);
    await click(run, '.webrtc button');
    await expect.poll(isOpen).toBe(false);
    await click(run, '.person button');
    await expect.poll(isOpen).toBe(true);
  },
);
