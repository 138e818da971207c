// What a reload of the dashboard will need, asked for before the console's code is there: the code of the page, who is signed
// in, and the page's first rows. The Content-Security-Policy allows no inline script, so this is a file; vite.config.ts writes
// into the tag what goes with which path. src/api/prefetched.ts hands the answers out.
(() => {
  const bearer = localStorage.getItem('access_token');
  if (!bearer) return;
  const { pathname, search } = location;
  const answers = {};
  for (const { under, files, calls } of JSON.parse(document.currentScript.dataset.pages)) {
    if (!pathname.startsWith(under)) continue;
    for (const file of files) {
      const link = document.createElement('link');
      const isScript = file.endsWith('.js');
      link.rel = isScript ? 'modulepreload' : 'preload';
      if (!isScript) link.as = 'style';
      link.crossOrigin = '';
      link.href = `/${file}`;
      document.head.append(link);
    }
    // Another page of the list, or a search, is another question.
    for (const url of search ? [] : calls) {
      answers[url] = fetch(url, {
        headers: { accept: 'application/json', authorization: `Bearer ${bearer}` },
      });
      // Who takes it hears of the failure; nobody may.
      answers[url].catch(() => {});
    }
  }
  window.prefetch = { bearer, answers };
})();
