import type { extensionBuilds } from '@propusk/contract/extension-builds';
import type { Reply } from '../../api/call.ts';

export type Browser = 'chrome' | 'edge' | 'yandex' | 'chromium' | 'firefox';
export type System = 'windows' | 'macos' | 'linux';
/** A build of the extension: its id, the URL that a policy names, and whether Mozilla signed the build that the console serves. */
export type Build = { source: 'store' | 'signed'; id: string; url: string; mozilla?: boolean | undefined };

export interface PolicyFile {
  /** How a machine gets the file: imported into the registry, installed by MDM, or copied to `path`. */
  kind: 'registry' | 'profile' | 'file';
  name: string;
  /** The registry key, the preference domains, or the path of the file. */
  path: string;
  text: string;
  /** The same policy as values for Group Policy, for browsers of the Chromium family on Windows. */
  values?: readonly { name: string; value: string }[];
}

/** Where browsers read policies: the registry key, the preference domain, and the folder on Linux. */
const places = {
  chrome: ['Google\\Chrome', 'com.google.Chrome', '/etc/opt/chrome/policies/managed'],
  edge: ['Microsoft\\Edge', 'com.microsoft.Edge', '/etc/opt/edge/policies/managed'],
  yandex: ['YandexBrowser', 'ru.yandex.desktop.yandex-browser', '/etc/opt/yandex/browser/policies/managed'],
  chromium: ['Chromium', 'org.chromium.Chromium', '/etc/chromium/policies/managed'],
  firefox: ['Mozilla\\Firefox', 'org.mozilla.firefox', '/etc/firefox/policies'],
} as const;

/** The builds that a browser can install, the store's first. */
export function buildsFor(browser: Browser, builds: Reply<typeof extensionBuilds>): Build[] {
  const { consoleUrl, signed, stores } = builds;
  const isFirefox = browser === 'firefox';
  const link = isFirefox ? stores.firefox : stores.chromium;
  const slug = link?.match(/[^/]+(?=\/?$)/)?.[0] ?? '';
  const served = `${consoleUrl}/downloads/`;
  // A link to addons.mozilla.org may lack the id. It equals the id of the build that the console serves.
  const all: (Build | false | null | undefined)[] = isFirefox
    ? [
        slug !== '' && {
          source: 'store',
          id: slug.includes('@') ? slug : (signed?.firefoxId ?? ''),
          url: `https://addons.mozilla.org/firefox/downloads/latest/${slug}/latest.xpi`,
        },
        signed && {
          source: 'signed',
          id: signed.firefoxId,
          url: `${served}propusk.xpi`,
          mozilla: signed.mozilla,
        },
      ]
    : [
        { source: 'store', id: slug, url: 'https://clients2.google.com/service/update2/crx' },
        signed && { source: 'signed', id: signed.chromiumId, url: `${served}updates.xml` },
      ];
  // The name of a registry key cannot be escaped, so only valid ids pass.
  const isValid = isFirefox ? /@/ : /^[a-p]{32}$/;
  return all.filter((build) => !!build && isValid.test(build.id)) as Build[];
}

/** Makes the policy that installs a build on all machines and binds it to the console. */
export function policyFile(browser: Browser, system: System, build: Build, consoleUrl: string): PolicyFile {
  const { id, url } = build;
  const [key, domain, folder] = places[browser];
  const force = { installation_mode: 'force_installed' };
  const extensions = { [id]: { consoleUrl } };
  if (browser === 'firefox') {
    const rule = { ...force, install_url: url, updates_disabled: false, private_browsing: true };
    const policies = { ExtensionSettings: { [id]: rule }, '3rdparty': { Extensions: extensions } };
    if (system === 'macos')
      return profile(browser, consoleUrl, { [domain]: { EnterprisePoliciesEnabled: true, ...policies } });
    const parent = system === 'linux' ? `${folder}/` : 'C:\\Program Files\\Mozilla Firefox\\distribution\\';
    return { kind: 'file', name: 'policies.json', path: `${parent}policies.json`, text: json({ policies }) };
  }
  const pin: Record<string, string> =
    browser === 'edge' ? { toolbar_state: 'force_shown' } : { toolbar_pin: 'force_pinned' };
  const rule = { ...force, update_url: url, ...pin };
  const ExtensionSettings = { [id]: rule };
  if (system === 'macos')
    return profile(browser, consoleUrl, {
      [domain]: { ExtensionSettings },
      [`${domain}.extensions.${id}`]: { consoleUrl },
    });
  if (system === 'linux') {
    const text = json({ ExtensionSettings, '3rdparty': { extensions } });
    return { kind: 'file', name: 'propusk.json', path: `${folder}/propusk.json`, text };
  }
  const path = `HKEY_LOCAL_MACHINE\\SOFTWARE\\Policies\\${key}`;
  const settings = `${path}\\3rdparty\\extensions\\${id}\\policy`;
  const text = registryFile({ [`${path}\\ExtensionSettings\\${id}`]: rule, [settings]: { consoleUrl } });
  const values = [
    { name: 'ExtensionSettings', value: JSON.stringify(ExtensionSettings) },
    { name: `${settings}\\consoleUrl`, value: consoleUrl },
  ];
  return { kind: 'registry', name: `propusk-${browser}.reg`, path, text, values };
}

const json = (content: object) => `${JSON.stringify(content, null, 2)}\n`;

/** Writes a `.reg` file with one section for each key, so that an import leaves the other keys of the registry unchanged. */
function registryFile(keys: Record<string, Record<string, string>>): string {
  // Regedit reads characters outside ASCII in the code page of the machine. Percent-encoding does not change a URL's meaning.
  const escaped = (text: string) => text.replace(/[^ -~]+/g, encodeURIComponent).replace(/["\\]/g, '\\$&');
  const lines = Object.entries(keys).flatMap(([key, values]) => [
    `[${key}]`,
    ...Object.entries(values).map(([name, value]) => `"${name}"="${escaped(value)}"`),
    '',
  ]);
  return ['Windows Registry Editor Version 5.00', '', ...lines].join('\r\n');
}

type Plist = string | number | boolean | readonly Plist[] | Dictionary;
type Dictionary = { readonly [key: string]: Plist };

/** Makes a configuration profile with one payload for each preference domain. */
function profile(browser: Browser, consoleUrl: string, domains: Record<string, Dictionary>): PolicyFile {
  const payload = (type: string, content: Dictionary) => {
    const PayloadIdentifier = `propusk.${new URL(consoleUrl).hostname}.${browser}.${type}`;
    const PayloadUUID = uuidOf(PayloadIdentifier + JSON.stringify(content));
    const common = { PayloadVersion: 1, PayloadDisplayName: 'Propusk' };
    return { PayloadType: type, PayloadIdentifier, PayloadUUID, ...common, ...content };
  };
  const PayloadContent = Object.entries(domains).map(([domain, content]) => payload(domain, content));
  const text = `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">
${plist(payload('Configuration', { PayloadScope: 'System', PayloadContent })).join('\n')}
</plist>
`;
  const path = Object.keys(domains).join(', ');
  return { kind: 'profile', name: `propusk-${browser}.mobileconfig`, path, text };
}

/** Writes a value as the lines of a property list. */
function plist(value: Plist): string[] {
  const escaped = (text: string) => text.replace(/[&<>\r]/g, (one) => `&#${one.charCodeAt(0)};`);
  const within = (tag: string, lines: string[]) => [
    `<${tag}>`,
    ...lines.map((one) => `  ${one}`),
    `</${tag}>`,
  ];
  if (typeof value === 'string') return [`<string>${escaped(value)}</string>`];
  if (typeof value === 'number') return [`<integer>${value}</integer>`];
  if (typeof value === 'boolean') return [`<${value}/>`];
  if (Array.isArray(value)) return within('array', value.flatMap(plist));
  const entries = Object.entries(value);
  const lines = entries.flatMap(([key, one]) => [`<key>${escaped(key)}</key>`, ...plist(one)]);
  return within('dict', lines);
}

/** A UUID of version 8 (RFC 9562) that depends only on the text, so that the same policy always has the same file. */
function uuidOf(text: string): string {
  const parts = [1, 2, 3, 4].map((seed) => {
    let hash = seed;
    for (const one of text) hash = Math.imul(hash ^ one.charCodeAt(0), 0x5bd1e995) ^ (hash >>> 13);
    return (hash >>> 0).toString(16).padStart(8, '0');
  });
  return parts.join('').replace(/^(.{8})(.{4}).(.{3}).(.{3})/, '$1-$2-8$3-8$4-');
}
