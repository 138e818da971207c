import { unicodeHost } from '@propusk/contract/unicode-host';
import { denyPhrases } from '@propusk/phrases/access';
import { proxyErrorDetails, proxyErrors } from '@propusk/phrases/gateway';
import type { ProxyError, ProxyErrorDetail, ProxyErrorReason } from '../proxy-error.ts';
import { refusalPage } from './refusal-page.ts';

/**
 * The status of each reason: 407 when other credentials would help, 403 when they are valid and access is denied (RFC 9110
 * sections 15.5.4, 15.5.8), 502 and 504 for faults behind the gateway, 503 for its own.
 */
const statuses: Readonly<Record<ProxyErrorReason, number>> = {
  no_credentials: 407,
  bad_credentials: 407,
  expired: 407,
  user_removed: 403,
  bad_host: 400,
  port_refused: 403,
  site_unknown: 403,
  no_policy: 403,
  host_taken: 403,
  plan_ended: 403,
  suspended: 403,
  not_yet: 403,
  right_ended: 403,
  outside_hours: 403,
  clock_unknown: 503,
  ended: 403,
  sni_mismatch: 403,
  address_refused: 403,
  resolve_failed: 502,
  no_family: 502,
  connect_failed: 502,
  bad_response: 502,
  upstream_failed: 502,
  timeout: 504,
  snapshot_stale: 503,
  bad_request: 400,
  loop: 400,
  too_many: 503,
  stopping: 503,
  names_busy: 503,
};

/** The status codes of error details; any other detail has the status of its reason. */
const detailStatuses: Partial<Record<ProxyErrorDetail, number>> = {
  // RFC 9112 section 6.1
  transfer_coding: 501,
  // RFC 9110 section 15.6.6
  http_version: 505,
  // RFC 6585 section 5
  headers_too_large: 431,
  request_timeout: 408,
};

/** The sentences of each reason. A reason without sentences does not compile. */
export const phrases: Readonly<Record<ProxyErrorReason, { why: string; advice: string }>> = {
  ...denyPhrases,
  ...proxyErrors,
};

/** The page appears under the site's origin: it must not run, load, send or frame anything. */
const policy =
  "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

export interface Answer {
  readonly status: number;
  readonly headers: readonly string[];
  readonly body: string;
}

/**
 * The response for a refused request. Always a full response: after a bare close browsers show an error without a reason.
 * @param site the requested authority, as the client sent it; escaped here
 */
export function answerRefusal(refusal: ProxyError, site: string, consoleUrl: string): Answer {
  const status = (refusal.detail && detailStatuses[refusal.detail]) ?? statuses[refusal.reason];
  const { why, advice } = phrases[refusal.reason];
  const body = refusalPage(status, refusal.reason, {
    site: unicodeHost(site),
    why: detailOf(refusal) ?? why,
    advice,
    consoleUrl,
  });
  const headers = [
    ['Content-Type', 'text/html; charset=utf-8'],
    ['Content-Length', String(Buffer.byteLength(body))],
    ['Cache-Control', 'no-store'],
    ['Content-Security-Policy', policy],
    ['Referrer-Policy', 'no-referrer'],
    ['X-Content-Type-Options', 'nosniff'],
    ['X-Propusk-Reason', refusal.reason],
  ];
  // RFC 9110 section 11.7.1: a 407 must carry a challenge.
  if (status === 407) headers.push(['Proxy-Authenticate', 'Basic realm="Propusk", charset="UTF-8"']);
  if (status === 503) headers.push(['Retry-After', '15']);
  return { status, headers: headers.flat(), body };
}

function detailOf({ detail, status }: ProxyError): string | undefined {
  return detail && proxyErrorDetails[detail].replace('{status}', String(status));
}

/** The same response as bytes, for a socket without an HTTP writer. It ends the connection. */
export function answerBytes(answer: Answer, statusText: string): string {
  let head = `HTTP/1.1 ${answer.status} ${statusText}\r\n`;
  for (let i = 0; i < answer.headers.length; i += 2)
    head += `${answer.headers[i]}: ${answer.headers[i + 1]}\r\n`;
  return `${head}Date: ${new Date().toUTCString()}\r\nConnection: close\r\n\r\n${answer.body}`;
}
