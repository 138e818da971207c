/** URLs for links in mail. Always on PUBLIC_URL: the caller controls the Host header. */
export interface Links {
  /** A page of the console. */
  page(path: string): string;
  /** The page that redeems a token. */
  token(kind: LinkKind, token: string): string;
}

/** The change that a link in mail permits. */
export type LinkKind = 'password' | 'email';

export function createLinks(publicUrl: URL): Links {
  const page = (path: string) => new URL(path, publicUrl).href;
  return {
    page,
    // Browsers send no fragment, so the token is in no server log and in no Referer.
    token: (kind, token) => page(`/security/login#token=${token}&for=${kind}`),
  };
}
