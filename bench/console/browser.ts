import { gzipSync } from 'node:zlib';
import { type Browser, chromium, type Page } from '@playwright/test';

/** What a page costs a browser that was never here, on a machine a quarter as fast. */
export interface Visit {
  /** Scripts and style sheets, gzipped, in bytes. */
  readonly bytes: number;
  /** Largest contentful paint, in milliseconds from the navigation. */
  readonly lcp: number;
  /** Until what is waited for stands in the page, painted. */
  readonly usable: number;
}

const SLOWER = 4;

/** Debian's Chromium; elsewhere CHROMIUM names another. */
export function startBrowser(): Promise<Browser> {
  const executablePath = process.env.CHROMIUM ?? '/usr/bin/chromium';
  // Chromium's own sandbox refuses to run as root.
  const args = process.getuid?.() === 0 ? ['--no-sandbox', '--disable-gpu'] : ['--disable-gpu'];
  return chromium.launch({ executablePath, args });
}

/** Watches for so many elements, from before the page's own code. Runs in the page. */
const watch = (selector: string, count: number, kept: object) => `
new PerformanceObserver((list) => {
  for (const entry of list.getEntries()) globalThis.lcp = entry.startTime;
}).observe({ type: 'largest-contentful-paint', buffered: true });
new MutationObserver((_, observer) => {
  if (document.querySelectorAll(${JSON.stringify(selector)}).length < ${count}) return;
  observer.disconnect();
  // Behind the frame that paints it.
  requestAnimationFrame(() => setTimeout(() => told(performance.now())));
}).observe(document, { childList: true, subtree: true });
// The empty page before the first one has no storage.
if (location.protocol === 'http:') Object.assign(localStorage, ${JSON.stringify(kept)});
`;

/** The observer is told some time behind the frame; by then nothing larger comes. Runs in the page. */
const LCP = `new Promise((resolve) => {
  const look = (tries) =>
    globalThis.lcp === undefined && tries > 0 ? setTimeout(look, 100, tries - 1) : resolve(globalThis.lcp ?? NaN);
  look(50);
})`;

/** Goes to a page with an empty cache. @param kept what the browser's storage holds for it */
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
    // Told and not asked for: asking takes the page's time, and its content policy forbids some ways of it.
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

/** What the page's code holds, when all that can go has gone. */
export async function held(page: Page): Promise<{ bytes: number; nodes: number }> {
  const devtools = await page.context().newCDPSession(page);
  await devtools.send('HeapProfiler.collectGarbage');
  await devtools.send('Performance.enable');
  const { metrics } = await devtools.send('Performance.getMetrics');
  const of = (wanted: string) => metrics.find(({ name }) => name === wanted)?.value ?? Number.NaN;
  await devtools.detach();
  return { bytes: of('JSHeapUsedSize'), nodes: of('Nodes') };
}
