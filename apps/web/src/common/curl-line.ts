import type { GatewayAccess } from '@propusk/contract/access';

/** The whole client in one line of a shell. Whatever a URL or a shell would read otherwise is written so that it is not. */
export function curlLine(access: GatewayAccess, password: string): string {
  const { scheme, host, port } = access.gateway;
  // The mask of a hidden password is for eyes and stays as it is.
  const secret = password === access.password ? encodeURIComponent(password) : password;
  const proxy = `${scheme}://${encodeURIComponent(access.username)}:${secret}@${host}:${port}`;
  // `*.example.ru` covers the name itself too.
  const site = access.sites[0]?.replace(/^\*\./, '') ?? 'example.ru';
  // A site keeps no scheme; a port of its own other than 8443 is plain http more often than not.
  const plain = /:(?!8443$)\d+$/.test(site);
  return `curl -x ${quoted(proxy)} ${quoted(`${plain ? 'http' : 'https'}://${site}/`)}`;
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
