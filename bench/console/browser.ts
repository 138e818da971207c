import { gzipSync } from 'node:zlib';
import { type Browser, chromium, type Page } from '@playwright/test';

/** The cost of a page for a first-time browser on a processor slowed down four times. */
export interface Visit {
  /** Scripts and style sheets, gzipped, in bytes. */
  readonly bytes: number;
  /** Largest contentful paint, in milliseconds from the navigation. */
  readonly lcp: number;
  /** Milliseconds until the awaited elements are painted. */
  readonly usable: number;
}

const SLOWER = 4;

/** Debian's Chromium; CHROMIUM names another one. */
export function startBrowser(): Promise<Browser> {
  const executablePath = process.env.CHROMIUM ?? '/usr/bin/chromium';
  // Chromium's sandbox does not run as root.
  const args = process.getuid?.() === 0 ? ['--no-sandbox', '--disable-gpu'] : ['--disable-gpu'];
  return chromium.launch({ executablePath, args });
}

/** Waits for a number of elements, starting before the page's own code. Evaluated in the page. */
const watch = (selector: string, count: number, kept: object) => `
new PerformanceObserver((list) => {
  for (const entry of list.getEntries()) globalThis.lcp = entry.startTime;
}).observe({ type: 'largest-contentful-paint', buffered: true });
new MutationObserver((_, observer) => {
  if (document.querySelectorAll(${JSON.stringify(selector)}).length < ${count}) return;
  observer.disconnect();
  // Runs after the frame that paints them.
  requestAnimationFrame(() => setTimeout(() => told(performance.now())));
}).observe(document, { childList: true, subtree: true });
// The initial blank page has no storage.
if (location.protocol === 'http:') Object.assign(localStorage, ${JSON.stringify(kept)});
`;

/** The observer fires some time after the frame; no larger paint comes until then. Evaluated in the page. */
const LCP = `new Promise((resolve) => {
  const look = (tries) =>
    globalThis.lcp === undefined && tries > 0 ? setTimeout(look, 100, tries - 1) : resolve(globalThis.lcp ?? NaN);
  look(50);
})`;

/** Opens a page with an empty cache. @param kept local storage for the page */
export async function visit(
  browser: Browser,
  address: string,
  awaited: [selector: string, count: number],
  kept: Readonly<Record<string, string>> = {},
): Promise<Visit> {
  const context = await browser.newContext({ locale: 'ru-RU', viewport: { width: 1440, height: 900 } });
  try {
    await context.addInitScript({ content: watch(...awaited, kept) });
    const page = await context.newPage();
    const devtools = await context.newCDPSession(page);
    await devtools.send('Emulation.setCPUThrottlingRate', { rate: SLOWER });
    const weighed: Promise<number>[] = [];
    page.on('response', (response) => {
      if (!/\.(js|css)$/.test(new URL(response.url()).pathname)) return;
      weighed.push(response.body().then((body) => gzipSync(body, { level: 9 }).length));
    });
    // The page reports by itself: polling would use its time, and its content policy forbids some ways of
    // it.
    const painted = Promise.withResolvers<number>();
    await page.exposeFunction('told', painted.resolve);
    await page.goto(address);
    const usable = await painted.promise;
    await page.waitForLoadState('networkidle');
    const lcp = await page.evaluate<number>(LCP);
    const bytes = (await Promise.all(weighed)).reduce((sum, one) => sum + one, 0);
    return { bytes, lcp, usable };
  } finally {
    await context.close();
  }
}

/** Heap bytes and DOM nodes of the page after garbage collection. */
export async function held(page: Page): Promise<{ bytes: number; nodes: number }> {
  const devtools = await page.context().newCDPSession(page);
  await devtools.send('HeapProfiler.collectGarbage');
  await devtools.send('Performance.enable');
  const { metrics } = await devtools.send('Performance.getMetrics');
  const of = (wanted: string) => metrics.find(({ name }) => name === wanted)?.value ?? Number.NaN;
  await devtools.detach();
  return { bytes: of('JSHeapUsedSize'), nodes: of('Nodes') };
}
