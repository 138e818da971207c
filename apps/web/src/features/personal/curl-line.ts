import type { GatewayAccess } from '@propusk/contract/access';

/** A complete curl command. Every value is escaped for the shell and for the URL. */
export function curlLine(access: GatewayAccess, password: string): string {
  const { scheme, host, port } = access.gateway;
  // The mask of a hidden password is display text and is not escaped.
  const secret = password === access.password ? encodeURIComponent(password) : password;
  const proxy = `${scheme}://${encodeURIComponent(access.username)}:${secret}@${host}:${port}`;
  // The wildcard `*.example.ru` also covers example.ru, so the command requests that name.
  const site = access.sites[0]?.replace(/^\*\./, '') ?? 'example.ru';
  // A site stores no scheme. A custom port other than 8443 usually speaks plain http.
  const plain = /:(?!8443$)\d+$/.test(site);
  return `curl -x ${quoted(proxy)} ${quoted(`${plain ? 'http' : 'https'}://${site}/`)}`;
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
