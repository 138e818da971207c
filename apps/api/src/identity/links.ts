import { strangers } from '../core/fair-queue.ts';
import { keyOf } from '../throttle/budgets.ts';
import type { Throttle } from '../throttle/throttle.ts';

/** Creates the URLs of links in mail. The URLs start with PUBLIC_URL, because a caller could forge the Host header. */
export interface Links {
  /** The URL of a page of the console. */
  page(path: string): string;
  /** The URL of the page that redeems the token of a mailed link. */
  token(kind: LinkKind | 'confirm', token: string): string;
  /** The URL of the page where an invited company registers. */
  invitation(token: string, email: string): string;
}

/** The change that a mailed link permits: a new password or a new email address. */
export type LinkKind = 'password' | 'email';

export function createLinks(publicUrl: URL): Links {
  const page = (path: string) => new URL(path, publicUrl).href;
  return {
    page,
    // Browsers do not send the fragment of a URL, so no server log and no Referer contains the token.
    token: (kind, token) => page(`/security/login#token=${token}&for=${kind}`),
    invitation: (token, email) =>
      page(`/auth/register#${new URLSearchParams({ invitation: token, email }).toString()}`),
  };
}

/**
 * Charges a request for a mailed link to the budgets of the mailbox and of the IP address. If one of these budgets is exhausted,
 * the mailbox still gets one link a minute. After 100 links in a day, the mailbox gets one link in five minutes.
 * @param email as the caller entered it; an email without an account is charged in the same way
 * @throws AppError too_many_requests
 */
export async function chargeLink(throttle: Throttle, email: string, address: string): Promise<void> {
  const lane = strangers(address);
  const day = keyOf('linkDay', email);
  const reserve = keyOf('linkReserve', address);
  const ofPair = [
    keyOf('linkAddress', address),
    keyOf('linkPair', email, address),
    keyOf('linkEmail', email),
  ];
  // After `linkDay` is exhausted, `linkSlow` replaces `linkMinute`. If either budget sufficed, a mailbox would get more links.
  const isSpent = (await throttle.wait(day, lane)) > 0;
  if (isSpent) await throttle.begin({ lane, keys: [keyOf('linkSlow', email), reserve] });
  else {
    const minute = { lane, keys: [keyOf('linkMinute', email), reserve, day] };
    await throttle.begin(minute, { lane, keys: [...ofPair, day] });
  }
}
