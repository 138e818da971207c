/** The replies that `public/prefetch.js` requested with a token, by URL. */
interface Prefetch {
  readonly bearer: string;
  readonly answers: Record<string, Promise<Response>>;
}

declare global {
  interface Window {
    prefetch?: Prefetch;
  }
}

/** How long after page load a prefetched reply counts as fresh. */
const FRESH_MS = 10_000;

/**
 * The reply to a GET that was sent while the console's code was still loading. Each reply is handed out once.
 * @param url as `address()` makes it
 * @returns undefined when it was not prefetched, was handed out before, is too old, or belongs to another user
 */
export function takePrefetched(url: string, bearer: string | null): Promise<Response> | undefined {
  const { prefetch } = window;
  if (prefetch === undefined || prefetch.bearer !== bearer || performance.now() > FRESH_MS) return undefined;
  const answer = prefetch.answers[url];
  delete prefetch.answers[url];
  return answer;
}
