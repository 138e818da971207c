import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { SITE } from './site.ts';

const run = promisify(execFile);

/** Client addresses: strangers use one loopback address and the company's proxies use others. */
export const OUTSIDE = '127.0.0.1';
export const EGRESS = '127.0.0.5';
export const CDN = '127.0.1.7';
/** The network that stands for the CDN's. */
export const CDN_NETWORK = '127.0.1.0/24';

export interface Answer {
  readonly status: number;
  readonly body: string;
}

export interface Asking {
  /** The address to ask from; the outside when left out. */
  readonly from?: string;
  readonly method?: string;
  readonly headers?: readonly string[];
  /** The address to ask at, as a URL writes it. */
  readonly at?: string;
  /** What stands in the request line instead of the path. */
  readonly target?: string;
}

/** Asks a server for a path as it is spelled: curl, told not to tidy it. */
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
