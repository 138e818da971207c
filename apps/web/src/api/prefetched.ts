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
 * Returns the reply to a GET that `public/prefetch.js` sent while the console's code was still loading.
 * @param url as `address()` makes it
 * @returns undefined when the reply was not prefetched, was already taken, is too old, or belongs to another token
 */
export function takePrefetched(url: string, bearer: string | null): Promise<Response> | undefined {
  const { prefetch } = window;
  if (prefetch === undefined || prefetch.bearer !== bearer || performance.now() > FRESH_MS) return undefined;
  const answer = prefetch.answers[url];
  delete prefetch.answers[url];
  return answer;
}
