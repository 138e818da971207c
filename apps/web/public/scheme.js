// Sets the colour scheme before the first paint, so that the page does not flash in the wrong colours. The Content-
// Security-Policy allows no inline script, so this is a file. src/theme/scheme.ts takes over; scheme.test.ts checks
// that both give the same result.
(() => {
  const kept = localStorage.getItem('color_scheme');
  const auto = matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light';
  const chosen = kept === 'light' || kept === 'dark' ? kept : auto;
  const authArea = /^\/(auth|security)\//.test(location.pathname);
  document.documentElement.dataset.mantineColorScheme = authArea ? 'dark' : chosen;
})();
