/** Addresses that mails lead to. All are on PUBLIC_URL: a request's Host is under the caller's control. */
export interface Links {
  /** A page of the console. */
  page(path: string): string;
  /** The page that uses a link's token: for a new password, or for another email. */
  token(kind: LinkKind, token: string): string;
}

/** What a link from mail is for. */
export type LinkKind = 'password' | 'email';

export function createLinks(publicUrl: URL): Links {
  const page = (path: string) => new URL(path, publicUrl).href;
  return {
    page,
    // Browsers send no fragment, so the token is in no server log and in no Referer.
    token: (kind, token) => page(`/security/login#token=${token}&for=${kind}`),
  };
}
