import type { DenyReason } from '@propusk/access/decide';
import type { DialErrorCode } from '@propusk/dial/dial-error';
import type { proxyErrorDetails } from '@propusk/phrases/gateway';

/** The reasons of refused and failed requests: the closed list of `X-Propusk-Reason` and of the metrics' `reason` label. */
export type ProxyErrorReason =
  | DenyReason
  | DialErrorCode
  | 'no_credentials'
  | 'bad_credentials'
  /** The token has expired, or its epoch is outdated. */
  | 'expired'
  | 'snapshot_stale'
  /** Not a request that a proxy can carry (RFC 9112 section 3.2). */
  | 'bad_request'
  /** The response of a site or of an upstream proxy is not valid HTTP. */
  | 'bad_response'
  /** Our own name is in Via: the request came back to the gateway that sent it. */
  | 'loop'
  /** The tunnel's first bytes name another host than CONNECT did, or no host that can be read. */
  | 'sni_mismatch'
  | 'upstream_failed'
  | 'too_many'
  /** An owner ended the visit. */
  | 'ended'
  | 'stopping';

/** A sentence of the phrase table that is more specific than that of the reason. */
export type ProxyErrorDetail = keyof typeof proxyErrorDetails;

/** A request that the gateway refuses or cannot complete. */
export class ProxyError extends Error {
  readonly reason: ProxyErrorReason;
  readonly detail: ProxyErrorDetail | undefined;
  /** The upstream's status, for the detail `upstream_status`. */
  readonly status: number | undefined;

  constructor(reason: ProxyErrorReason, detail?: ProxyErrorDetail, status?: number) {
    super(reason);
    this.reason = reason;
    this.detail = detail;
    this.status = status;
  }
}
