import { accountNames } from '@propusk/phrases/accounts';

/** The maximum length of an unknown program's name. */
const LONGEST = 200;

// Order matters: the `User-Agent` of a browser can also contain names of browsers that come later in this list.
const browsers: readonly (readonly [sign: RegExp, name: string])[] = [
  [/\bYaBrowser\//, accountNames.yandexBrowser],
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
 * Finds the browser and system that a `User-Agent` names, such as "Firefox, Linux". If the header names neither, returns the
 * first product name in the header (RFC 9110 section 10.1.5).
 * @returns null when the header names no product
 */
export function nameAgent(header: string | undefined): string | null {
  // No browser sends a longer header. The limit keeps the regular expressions cheap.
  const agent = (header ?? '').slice(0, 1000);
  const find = (names: typeof browsers) => names.find(([sign]) => sign.test(agent))?.[1];
  const named = [find(browsers), find(systems)].filter((name) => name !== undefined);
  if (named.length > 0) return named.join(', ');
  return /^[\w.+-]+/.exec(agent)?.[0].slice(0, LONGEST) ?? null;
}
