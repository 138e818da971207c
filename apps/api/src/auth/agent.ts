/** Longest that is kept of what a caller says of itself. */
const LONGEST = 200;

// Each of these also calls itself by the names below it: the first that is found is the one.
const browsers: readonly (readonly [sign: RegExp, name: string])[] = [
  [/\bYaBrowser\//, 'Яндекс Браузер'],
  [/\bEdg(e|A|iOS)?\//, 'Edge'],
  [/\b(OPR|OPiOS|Opera)\//, 'Opera'],
  [/\bSamsungBrowser\//, 'Samsung Internet'],
  [/\bVivaldi\//, 'Vivaldi'],
  [/\b(Firefox|FxiOS)\//, 'Firefox'],
  [/\b(HeadlessChrome|Chrome|CriOS|Chromium)\//, 'Chrome'],
  [/\bVersion\/[\d.]+ .*Safari\//, 'Safari'],
];

const systems: readonly (readonly [sign: RegExp, name: string])[] = [
  [/\bAndroid\b/, 'Android'],
  [/\b(iPhone|iPad|iPod)\b/, 'iOS'],
  [/\bWindows\b/, 'Windows'],
  [/\bCrOS\b/, 'ChromeOS'],
  [/\bMac OS X\b/, 'macOS'],
  [/\bLinux\b/, 'Linux'],
];

/**
 * What people call the browser and the system of a `User-Agent`: «Firefox, Linux». Of a program that is no browser its
 * own first word (RFC 9110 section 10.1.5).
 * @returns null when the header tells nothing
 */
export function nameAgent(header: string | undefined): string | null {
  // No browser says as much; more is somebody who wants it to be read for long.
  const said = (header ?? '').slice(0, 1000);
  const find = (names: typeof browsers) => names.find(([sign]) => sign.test(said))?.[1];
  const named = [find(browsers), find(systems)].filter((name) => name !== undefined);
  if (named.length > 0) return named.join(', ');
  return /^[\w.+-]+/.exec(said)?.[0].slice(0, LONGEST) ?? null;
}
