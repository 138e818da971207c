/**
 * Runs on `/extension/pair` of any origin: the extension cannot know beforehand where consoles are. It tells the page that
 * the extension is there, and hands the code of the page's fragment to the worker, which asks the person: once, for a page
 * could change its fragment without end. The page learns the outcome by `data-propusk-paired`: `yes`, `refused` or `failed`.
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
// A page that makes its code first and then puts it into the address.
addEventListener('hashchange', offer);
offer();
