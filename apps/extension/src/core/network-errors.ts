/** The errors of the extension's own requests. `fetch` does not tell why a request failed; `webRequest` does. */

/**
 * Errors of a TLS handshake. Chromium names them. Firefox gives a sentence in the user's language for them, and a name that
 * begins with `NS_` for every other error.
 */
const CERTIFICATE = /^net::ERR_(CERT|SSL)_|^(?!net::|NS_)/;
/** The time to wait for the event, which may follow the rejection of `fetch`, in milliseconds. */
const EVENT_MS = 200;

// Grows with users who type addresses of consoles. Bound: the last origin only. At the bound: the new one replaces it
let last: { readonly origin: string; readonly error: string } | null = null;

/** Registers the listener. Call it synchronously when the worker starts. */
export function watchOwnRequests(): void {
  chrome.webRequest.onErrorOccurred.addListener(
    ({ url, error, tabId }) => {
      // -1: a request outside all tabs, such as the worker's own.
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
