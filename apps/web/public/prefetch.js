// vite.config.ts explains this file.
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
    for (const url of search ? [] : calls) {
      answers[url] = fetch(url, {
        headers: { accept: 'application/json', authorization: `Bearer ${bearer}` },
        signal: AbortSignal.timeout(20_000),
      });
      answers[url].catch(() => {});
    }
  }
  window.prefetch = { bearer, answers };
})();
