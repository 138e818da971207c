/**
 * A content script for `/extension/pair` of any origin, because the console's origin is not known in advance. It writes
 * the extension's version into the page, and passes the code in the URL fragment to the worker, which asks the user.
 * Only one code is passed for each page load, because a page could change its fragment endlessly. The page reads the outcome from
 * `data-propusk-paired`: `yes`, `refused` or `failed`. On the user's own console, each installed build also adds its id to
 * `data-propusk-id`, separated by spaces.
 */
const mark = document.documentElement.dataset;
mark.propuskExtension = chrome.runtime.getManifest().version;
void chrome.runtime.sendMessage({ type: 'id-request' }).then((id: unknown) => {
  if (typeof id === 'string') mark.propuskId = [...new Set(mark.propuskId?.split(' ')).add(id)].join(' ');
});

let offered = false;

function offer(): void {
  const code = location.hash.slice(1);
  if (offered || !/^[A-Za-z0-9_-]{20,200}$/.test(code)) return;
  offered = true;
  void chrome.runtime.sendMessage({ type: 'pair-request', code });
}

chrome.runtime.onMessage.addListener((message: { paired?: unknown }, sender) => {
  if (sender.id === chrome.runtime.id && typeof message.paired === 'string')
    mark.propuskPaired = message.paired;
});
// A page may create its code first and set the fragment later.
addEventListener('hashchange', offer);
offer();
