/** What `public/prefetch.js` asked for under a token, by the address of the call. */
interface Prefetch {
  readonly bearer: string;
  readonly answers: Record<string, Promise<Response>>;
}

declare global {
  interface Window {
    prefetch?: Prefetch;
  }
}

/** For how long after the start of the page an answer is as good as a new one. */
const FRESH_MS = 10_000;

/**
 * The answer to a GET that was asked while the console's code was on its way.
 * @param url as `address()` makes it
 * @returns undefined when it was not asked, was taken before, is old, or is another person's
 */
export function takePrefetched(url: string, bearer: string | null): Promise<Response> | undefined {
  const { prefetch } = window;
  if (prefetch === undefined || prefetch.bearer !== bearer || performance.now() > FRESH_MS) return undefined;
  const answer = prefetch.answers[url];
  delete prefetch.answers[url];
  return answer;
}
