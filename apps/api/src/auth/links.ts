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
