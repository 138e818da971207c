import { readFileSync } from 'node:fs';
import * as t from '@propusk/phrases/extension';

/** The build targets. Edge, Yandex Browser, Opera and Vivaldi install the Chromium build. */
export type Target = 'chromium' | 'firefox';

const { version } = JSON.parse(readFileSync(new URL('package.json', import.meta.url), 'utf8')) as {
  version: string;
};

/**
 * A public key that fixes the id of an unpacked extension (the first 16 bytes of its SHA-256, in the letters a to p).
 * The private key was discarded.
 */
const KEY =
  'MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEAolu0brBP0nW+/IFYY/HAffmG8UeV8C4UCazS3nwoiCDz48lS+fVlZI8t80VmE5xR7zL314aLUUJDF9Z+EEaTurk/ST66LtofZRtlTL4UH8YfTmyveYG2GewsOtjrTB2RgfE4s5g66G81bDJAGgAb34HJ9doc7tc+d8E0SZ7up9KF/TvhOL+pncb3tr5wRJR54yva2YOIPvaFGC7//oKMd+xPb/ppQUygSObb/UZZ8GeirHOBnvXBne8JfEIHQXN57CeWPtCyGAwaiNlYihGOCAwMvF99E4bnLf5rfCBxVcRrn7CvDUXGszVFz2DiX/vRcEwUVa90hc3Oy2Pkw7C8jQIDAQAB';

const icons = Object.fromEntries([16, 32, 48, 128].map((size) => [size, `icons/${size}.png`]));

const common = {
  manifest_version: 3,
  name: t.name,
  short_name: t.name,
  version,
  description: t.description,
  icons,
  action: { default_popup: 'popup.html', default_title: t.name, default_icon: icons },
  content_scripts: [
    { matches: ['*://*/extension/pair*'], js: ['pair-page.js'], run_at: 'document_start', all_frames: false },
  ],
  // All hosts: any page may embed an image of a protected site, and without this permission its proxy challenge opens
  // a login dialog.
  host_permissions: ['<all_urls>'],
  // The permission for the WebRTC setting. The popup requests this permission when all sites go through the gateway.
  optional_permissions: ['privacy'],
};

const permissions = ['proxy', 'storage', 'alarms', 'webRequest', 'webRequestAuthProvider'];

/** The manifest of a build. */
export function manifestFor(target: Target): object {
  if (target === 'chromium') {
    return {
      ...common,
      key: KEY,
      minimum_chrome_version: '120',
      permissions,
      background: { service_worker: 'worker.js', type: 'module' },
      storage: { managed_schema: 'managed.json' },
    };
  }
  return {
    ...common,
    permissions: [...permissions, 'webRequestBlocking'],
    background: { scripts: ['worker.js'], type: 'module' },
    browser_specific_settings: {
      gecko: {
        id: 'extension@propusk.example',
        strict_min_version: '128.0',
        // Mozilla requires a declaration of the data that leaves the browser, even to the company's own console: the sign-in, hosts
        // of protected sites, and the extension's version. https://extensionworkshop.com/documentation/develop/firefox-builtin-data-consent/
        data_collection_permissions: {
          required: ['authenticationInfo', 'browsingActivity'],
          optional: ['technicalAndInteraction'],
        },
      },
    },
  };
}
