/**
 * Addresses for server configuration. The output is pasted into files that a server runs, so it holds only digits,
 * hexadecimal letters, dots, colons and one slash.
 */

/**
 * Canonical addresses without duplicates, IPv4 before IPv6, in numeric order. An IPv4-mapped IPv6 address becomes IPv4,
 * because servers compare such addresses as IPv4.
 * @throws RangeError for input that is not the IP address of one host, such as a name, a network, a zone, `0.0.0.0` or `::`
 */
export function normalizeEgress(addresses: readonly string[]): string[] {
  const known = new Set(addresses.map((address) => canonical(address)));
  return [...known].sort((a, b) => (orderKey(a) < orderKey(b) ? -1 : 1));
}

/**
 * Canonical networks in CIDR notation.
 * @throws RangeError for input that is not a network
 */
export function normalizeNetworks(networks: readonly string[]): string[] {
  return networks.map((network) => {
    const match = /^([^/]+)\/(\d{1,3})$/.exec(network);
    const address = canonical(match?.[1] ?? '');
    const length = Number(match?.[2]);
    if (length > (address.includes(':') ? 128 : 32)) throw new RangeError(`not a network: ${network}`);
    return `${address}/${length}`;
  });
}

const octet = '(?:25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)';
// The pattern rejects leading zeros, because some parsers read `010` as octal.
const ipv4 = new RegExp(`^(?:${octet}\\.){3}${octet}$`);

function canonical(address: string): string {
  const known = ipv4.test(address) ? address : canonical6(address);
  if (known === null || known === '0.0.0.0' || known === '::') {
    throw new RangeError(`not an address: ${JSON.stringify(address)}`);
  }
  return known;
}

/** The WHATWG URL parser reads every spelling of IPv6 and prints the canonical one (RFC 5952 section 4). */
function canonical6(address: string): string | null {
  if (!/^[0-9a-f:.]+$/i.test(address) || !address.includes(':')) return null;
  const url = `http://[${address}]/`;
  if (!URL.canParse(url)) return null;
  const printed = new URL(url).hostname.slice(1, -1);
  const mapped = /^::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})$/.exec(printed);
  if (mapped === null) return printed;
  const [high, low] = [Number.parseInt(mapped[1] ?? '', 16), Number.parseInt(mapped[2] ?? '', 16)];
  return [high >> 8, high & 255, low >> 8, low & 255].join('.');
}

/** Returns a sort key. Sorting the keys as text sorts the addresses numerically. */
function orderKey(address: string): string {
  if (!address.includes(':')) {
    return `4${address
      .split('.')
      .map((part) => part.padStart(3, '0'))
      .join('')}`;
  }
  const [head = '', tail] = address.split('::');
  const groups = (text: string) => (text === '' ? [] : text.split(':'));
  const [before, after] = [groups(head), groups(tail ?? '')];
  const middle = Array.from({ length: 8 - before.length - after.length }, () => '0');
  return `6${[...before, ...middle, ...after].map((part) => part.padStart(4, '0')).join('')}`;
}
