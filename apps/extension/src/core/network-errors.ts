/** The errors of the extension's own requests. `fetch` does not tell why a request failed; `webRequest` does. */

/**
 * Matches TLS errors. Chromium reports a code. Firefox reports a sentence in the user's language; for all other
 * errors it reports a name that begins with `NS_`.
 */
const CERTIFICATE = /^net::ERR_(CERT|SSL)_|^(?!net::|NS_)/;
/** Milliseconds to wait for the error event, which can arrive after `fetch` has failed. */
const EVENT_MS = 200;

// Bounded: only the last error is kept.
let last: { readonly origin: string; readonly error: string } | null = null;

/** Registers the listener. Call it synchronously when the worker starts. */
export function watchOwnRequests(): void {
  chrome.webRequest.onErrorOccurred.addListener(
    ({ url, error, tabId }) => {
      // The worker's own requests have the tab id -1.
      if (tabId === -1) last = { origin: new URL(url).origin, error };
    },
    { urls: ['<all_urls>'], types: ['xmlhttprequest', 'other'] },
  );
}

/** Whether the last request to an origin failed because of its certificate. */
export async function failedByCertificate(origin: string): Promise<boolean> {
  if (last?.origin !== origin) await new Promise((resolve) => setTimeout(resolve, EVENT_MS));
  const failed = last?.origin === origin && CERTIFICATE.test(last.error);
  last = null;
  return failed;
}
