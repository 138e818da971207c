import { Agent, request } from 'node:http';
import { parentPort, workerData } from 'node:worker_threads';

/** Concurrent wrong sign-ins from a worker thread, so that they do not delay the measured client. */
export interface Crowd {
  /** The URL of the api, with a trailing slash. */
  readonly url: string;
  readonly from: string;
  readonly count: number;
}

/** The reply to one wrong sign-in; status 0 for a failed connection. */
export interface Answer {
  readonly status: number;
  readonly code: string;
  readonly retryAfter: number;
}

const { url, from, count } = workerData as Crowd;
const agent = new Agent({ keepAlive: false, maxSockets: Infinity });

/** Each guess uses another account, so that the budget of an account does not refuse it. */
function guess(i: number): Promise<Answer> {
  return new Promise((resolve) => {
    const headers = { 'content-type': 'application/json', 'x-forwarded-for': from };
    const sent = request(new URL('/api/auth/login', url), { agent, method: 'POST', headers }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
      response.on('end', () =>
        resolve({
          status: response.statusCode ?? 0,
          code: (JSON.parse(text) as { code: string }).code,
          retryAfter: Number(response.headers['retry-after'] ?? 0),
        }),
      );
    });
    sent.on('error', (error) => resolve({ status: 0, code: error.message, retryAfter: 0 }));
    sent.end(JSON.stringify({ email: `guess${i}@crowd.test`, password: 'wrong horse' }));
  });
}

const answers = await Promise.all(Array.from({ length: count }, (_, i) => guess(i)));
// oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread is no window: it has no origin
parentPort?.postMessage(answers);
