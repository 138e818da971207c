/**
 * Runs on `/extension/pair` of any origin, since the console's origin is not known in advance. It marks the page, and passes the
 * code in the fragment to the worker, which asks the user. It passes only one code, since a page could change its fragment
 * endlessly. The page reads the outcome from `data-propusk-paired`: `yes`, `refused` or `failed`.
 */
const mark = document.documentElement.dataset;
mark.propuskExtension = chrome.runtime.getManifest().version;

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
