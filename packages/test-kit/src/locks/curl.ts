import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { SITE } from './site.ts';

const run = promisify(execFile);

/** Client addresses: strangers use one loopback address and the company's proxies use others. */
export const OUTSIDE = '127.0.0.1';
export const EGRESS = '127.0.0.5';
export const CDN = '127.0.1.7';
/** The simulated network of the CDN. */
export const CDN_NETWORK = '127.0.1.0/24';

export interface Answer {
  readonly status: number;
  readonly body: string;
}

export interface Asking {
  /** The client's IP address; the default is OUTSIDE. */
  readonly from?: string;
  readonly method?: string;
  readonly headers?: readonly string[];
  /** The server's address in the form of a URL. */
  readonly at?: string;
  /** Replaces the path in the request line. */
  readonly target?: string;
}

/** Requests a path by curl, without normalization of the path. */
export async function ask(port: number, path: string, asking: Asking = {}): Promise<Answer> {
  const { from = OUTSIDE, method = 'GET', headers = [], at = '127.0.0.1', target } = asking;
  const { stdout } = await run('/usr/bin/curl', [
    '--silent',
    '--show-error',
    '--globoff',
    '--path-as-is',
    '--max-time',
    '10',
    ...(at.startsWith('[') ? [] : ['--interface', from]),
    ...(method === 'HEAD' ? ['--head'] : ['--request', method]),
    ...['Host: ' + SITE, ...headers].flatMap((header) => ['--header', header]),
    ...(target === undefined ? [] : ['--request-target', target]),
    '--write-out',
    '\n%{http_code}',
    `http://${at}:${port}${path}`,
  ]);
  const cut = stdout.lastIndexOf('\n');
  return { status: Number(stdout.slice(cut + 1)), body: stdout.slice(0, cut) };
}
