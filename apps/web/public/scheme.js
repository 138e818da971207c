// Runs before the first paint, so that nothing flashes in the wrong colours while the console's code is on its way. The
// Content-Security-Policy allows no inline script, so this is a file. src/theme/scheme.ts takes over, and
// scheme.test.ts holds the two to the same answers.
(() => {
  const kept = localStorage.getItem('color_scheme');
  const auto = matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light';
  const chosen = kept === 'light' || kept === 'dark' ? kept : auto;
  const authArea = /^\/(auth|security)\//.test(location.pathname);
  document.documentElement.dataset.mantineColorScheme = authArea ? 'dark' : chosen;
})();
