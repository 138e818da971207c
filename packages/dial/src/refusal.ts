import type { Reason } from '@propusk/access/decide';

/** The reasons of the rule of access, and those that only a gateway has. */
export type RefusalReason =
  | Reason
  /** Not a request that a proxy can carry (RFC 9112 section 3.2). */
  | 'bad_request'
  /** The request came back to the gateway that sent it. */
  | 'loop'
  /** Inside a tunnel another name is asked for than the one that it was opened to, or none that can be seen. */
  | 'sni_mismatch'
  | 'too_many'
  | 'stopping';

/** A request that will not be carried. `detail` is a Russian sentence that says more than the reason's own. */
export class Refusal extends Error {
  readonly reason: RefusalReason;
  readonly detail: string | undefined;

  constructor(reason: RefusalReason, detail?: string) {
    super(reason);
    this.reason = reason;
    this.detail = detail;
  }
}
