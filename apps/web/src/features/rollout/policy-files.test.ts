import { parse } from 'plist';
import { describe, expect, it } from 'vitest';
import { type Build, buildsFor, policyFile } from './policy-files.ts';

const chromiumId = 'abcdefghijklmnopabcdefghijklmnop';
const storeId = 'ponmlkjihgfedcbaponmlkjihgfedcba';
const consoleUrl = 'https://pass.example.ru';
const signed = { version: '1.2.3', chromiumId, firefoxId: 'propusk@pass.example.ru' };
const none = { chromium: null, firefox: null };
const stores = {
  chromium: `https://chromewebstore.google.com/detail/propusk/${storeId}`,
  firefox: 'https://addons.mozilla.org/ru/firefox/addon/propusk/',
};

/** Text that ends a string, an element or a line in at least one of the formats. */
const hostile = `https://a.ru/"'\\"\\\\<b>&amp;]]>\r\n[HKEY_LOCAL_MACHINE\\X]\n"y"="z"\u0416\u{1f600}`;
const consoles = [consoleUrl, hostile];

/** Parses a file for regedit: the keys, each with its string values. Throws on a line that regedit does not accept. */
function parseRegistryFile(text: string): Record<string, Record<string, string>> {
  const [version, empty, ...lines] = text.split('\r\n');
  if (version !== 'Windows Registry Editor Version 5.00' || empty !== '') throw new Error('no header');
  const keys: Record<string, Record<string, string>> = {};
  let values: Record<string, string> | undefined;
  for (const line of lines.filter(Boolean)) {
    const [, key] = /^\[([ -Z^-~\\]+)\]$/.exec(line) ?? [];
    const [, name = '', value] = /^"([^"\\]+)"="((?:[ !#-[\]-~]|\\["\\])*)"$/.exec(line) ?? [];
    if (key !== undefined) values = keys[key] = {};
    else if (values && value !== undefined) values[name] = value.replace(/\\(.)/g, '$1');
    else throw new Error(`not accepted: ${line}`);
  }
  return keys;
}

const chromium = (id: string, source: Build['source'] = 'signed'): Build => ({
  source,
  id,
  url: 'https://pass.example.ru/downloads/updates.xml',
});
const registryRoots = [
  ['chrome', 'Google\\Chrome', { toolbar_pin: 'force_pinned' }],
  ['edge', 'Microsoft\\Edge', { toolbar_state: 'force_shown' }],
  ['yandex', 'YandexBrowser', { toolbar_pin: 'force_pinned' }],
] as const;
const domains = [
  ['chrome', 'com.google.Chrome', { toolbar_pin: 'force_pinned' }],
  ['edge', 'com.microsoft.Edge', { toolbar_state: 'force_shown' }],
  ['yandex', 'ru.yandex.desktop.yandex-browser', { toolbar_pin: 'force_pinned' }],
] as const;
const folders = [
  ['chrome', '/etc/opt/chrome/policies/managed/propusk.json'],
  ['edge', '/etc/opt/edge/policies/managed/propusk.json'],
  ['yandex', '/etc/opt/yandex/browser/policies/managed/propusk.json'],
  ['chromium', '/etc/chromium/policies/managed/propusk.json'],
] as const;

describe('the policy file', () => {
  it.each(registryRoots)('of %s on Windows sets two keys below %s and no other', (browser, root, pin) => {
    for (const url of consoles) {
      const build = { ...chromium(chromiumId), url };
      const { kind, name, text, values } = policyFile(browser, 'windows', build, url);
      const policies = `HKEY_LOCAL_MACHINE\\SOFTWARE\\Policies\\${root}`;
      const rule = { installation_mode: 'force_installed', update_url: url, ...pin };
      const settings = `${policies}\\3rdparty\\extensions\\${chromiumId}\\policy`;
      expect([kind, name]).toEqual(['registry', `propusk-${browser}.reg`]);
      const decoded = (settings: Record<string, string>) =>
        Object.fromEntries(Object.entries(settings).map(([key, value]) => [key, decodeURIComponent(value)]));
      const keys = Object.entries(parseRegistryFile(text)).map(([key, all]) => [key, decoded(all)]);
      expect(Object.fromEntries(keys)).toEqual({
        [`${policies}\\ExtensionSettings\\${chromiumId}`]: rule,
        [settings]: { consoleUrl: url },
      });
      expect(values?.map((one) => one.name)).toEqual(['ExtensionSettings', `${settings}\\consoleUrl`]);
      expect(JSON.parse(values?.[0]?.value ?? '')).toEqual({ [chromiumId]: rule });
      expect(values?.[1]?.value).toBe(url);
    }
  });

  it.each(domains)('of %s on macOS has payloads of %s and of the extension', (browser, domain, pin) => {
    for (const url of consoles) {
      const file = policyFile(browser, 'macos', { ...chromium(chromiumId), url }, url);
      expect([file.kind, file.name]).toEqual(['profile', `propusk-${browser}.mobileconfig`]);
      const rule = { installation_mode: 'force_installed', update_url: url, ...pin };
      expect(parse(file.text)).toMatchObject({
        PayloadType: 'Configuration',
        PayloadScope: 'System',
        PayloadVersion: 1,
        PayloadContent: [
          { PayloadType: domain, ExtensionSettings: { [chromiumId]: rule } },
          { PayloadType: `${domain}.extensions.${chromiumId}`, consoleUrl: url },
        ],
      });
    }
  });

  it.each(folders)('of %s on Linux belongs in %s', (browser, path) => {
    for (const url of consoles) {
      const file = policyFile(browser, 'linux', { ...chromium(chromiumId), url }, url);
      expect([file.kind, file.path]).toEqual(['file', path]);
      const policies = JSON.parse(file.text);
      expect(policies.ExtensionSettings[chromiumId]).toMatchObject({
        installation_mode: 'force_installed',
        update_url: url,
      });
      expect(policies['3rdparty']).toEqual({ extensions: { [chromiumId]: { consoleUrl: url } } });
    }
  });

  it.each([
    ['windows', 'C:\\Program Files\\Mozilla Firefox\\distribution\\policies.json'],
    ['linux', '/etc/firefox/policies/policies.json'],
  ] as const)('of Firefox on %s is policies.json', (system, path) => {
    for (const text of consoles) {
      const file = policyFile('firefox', system, { source: 'signed', id: text, url: text }, text);
      expect([file.name, file.path]).toEqual(['policies.json', path]);
      expect(JSON.parse(file.text)).toEqual({
        policies: {
          ExtensionSettings: { [text]: firefoxRule(text) },
          '3rdparty': { Extensions: { [text]: { consoleUrl: text } } },
        },
      });
    }
  });

  it('of Firefox on macOS enables policies in one payload', () => {
    for (const text of consoles) {
      const file = policyFile('firefox', 'macos', { source: 'signed', id: text, url: text }, text);
      expect(parse(file.text)).toMatchObject({
        PayloadContent: [
          {
            PayloadType: 'org.mozilla.firefox',
            EnterprisePoliciesEnabled: true,
            ExtensionSettings: { [text]: firefoxRule(text) },
            '3rdparty': { Extensions: { [text]: { consoleUrl: text } } },
          },
        ],
      });
    }
  });

  it('has the same UUIDs for the same build, and other UUIDs for another build', () => {
    const uuids = (id: string) => {
      const { text } = policyFile('chrome', 'macos', chromium(id), consoleUrl);
      return [...text.matchAll(/UUID<\/key>\s+<string>(.+)<\/string>/g)].map(([, uuid]) => uuid);
    };
    expect(uuids(chromiumId)).toEqual(uuids(chromiumId));
    const all = [...uuids(chromiumId), ...uuids(storeId)];
    expect(new Set(all).size).toBe(6);
    for (const one of all)
      expect(one).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}$/);
  });
});

const firefoxRule = (url: string) => ({
  installation_mode: 'force_installed',
  install_url: url,
  updates_disabled: false,
  private_browsing: true,
});

describe('the builds of a browser', () => {
  it('are the build in the store and then the signed build', () => {
    const given = { consoleUrl, signed, stores };
    expect(buildsFor('edge', given)).toEqual([
      { source: 'store', id: storeId, url: 'https://clients2.google.com/service/update2/crx' },
      { source: 'signed', id: chromiumId, url: `${consoleUrl}/downloads/updates.xml` },
    ]);
    const store = 'https://addons.mozilla.org/firefox/downloads/latest/propusk/latest.xpi';
    expect(buildsFor('firefox', given)).toEqual([
      { source: 'store', id: signed.firefoxId, url: store },
      { source: 'signed', id: signed.firefoxId, url: `${consoleUrl}/downloads/propusk.xpi` },
    ]);
  });

  it('are none without a store link and without signed builds', () => {
    const given = { consoleUrl, signed: null, stores: none };
    expect([...buildsFor('chrome', given), ...buildsFor('firefox', given)]).toEqual([]);
  });

  it('leave out a link without an id of the Chrome Web Store', () => {
    for (const link of ['https://chromewebstore.google.com/', 'https://a.ru/detail/]\\"'])
      expect(buildsFor('chrome', { consoleUrl, signed: null, stores: { ...none, chromium: link } })).toEqual(
        [],
      );
  });

  it('have the id that the link to addons.mozilla.org contains, otherwise the id of the build that the console serves', () => {
    const idOf = (slug: string, served: typeof signed | null) =>
      buildsFor('firefox', {
        consoleUrl,
        signed: served,
        stores: { ...none, firefox: `https://addons.mozilla.org/firefox/addon/${slug}/` },
      })[0]?.id;
    expect(idOf('pass@other.example', null)).toBe('pass@other.example');
    expect(idOf('propusk', signed)).toBe(signed.firefoxId);
    expect(idOf('propusk', null)).toBeUndefined();
  });
});
