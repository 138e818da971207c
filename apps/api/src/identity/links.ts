import { strangers } from '../core/fair-queue.ts';
import { keyOf } from '../throttle/budgets.ts';
import type { Throttle } from '../throttle/throttle.ts';

/** URLs for links in mail. Always on PUBLIC_URL: the caller controls the Host header. */
export interface Links {
  /** A page of the console. */
  page(path: string): string;
  /** The page that redeems a token. */
  token(kind: LinkKind | 'confirm', token: string): string;
  /** The page that registers the invited company. */
  invitation(token: string, email: string): string;
}

/** The change that a link in mail permits. */
export type LinkKind = 'password' | 'email';

export function createLinks(publicUrl: URL): Links {
  const page = (path: string) => new URL(path, publicUrl).href;
  return {
    page,
    // Browsers send no fragment, so the token is in no server log and in no Referer.
    token: (kind, token) => page(`/security/login#token=${token}&for=${kind}`),
    invitation: (token, email) =>
      page(`/auth/register#${new URLSearchParams({ invitation: token, email }).toString()}`),
  };
}

/**
 * Charges a link to its mailbox and address, or to the mailbox's reserve when one of these is exhausted.
 * @param email as entered; an address without an account is charged in the same way
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
  // `linkSlow` applies only after `linkDay`; before, it would allow a link beyond `linkMinute`.
  const isSpent = (await throttle.wait(day, lane)) > 0;
  if (isSpent) await throttle.begin({ lane, keys: [keyOf('linkSlow', email), reserve] });
  else {
    const minute = { lane, keys: [keyOf('linkMinute', email), reserve, day] };
    await throttle.begin(minute, { lane, keys: [...ofPair, day] });
  }
}
