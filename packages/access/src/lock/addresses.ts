/**
 * Addresses as a server's settings take them. Whatever passes here is pasted into files that a server obeys, so nothing
 * but digits, hexadecimal letters, dots, colons and one slash may come out.
 */

/**
 * The addresses of a lock: one spelling each, no doubles, IPv4 before IPv6, each in numeric order.
 * An IPv4 address inside IPv6 (`::ffff:203.0.113.5`) is that IPv4 address: servers compare it so.
 * @throws RangeError on what is no literal of one host: a name, a network, a zone, `0.0.0.0`, `::`, white space
 */
export function normalizeEgress(addresses: readonly string[]): string[] {
  const known = new Set(addresses.map((address) => canonical(address)));
  return [...known].sort((a, b) => (orderKey(a) < orderKey(b) ? -1 : 1));
}

/**
 * Networks in CIDR notation, each in one spelling.
 * @throws RangeError on anything else
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
// No leading zeros: some parsers take `010` for eight.
const ipv4 = new RegExp(`^(?:${octet}\\.){3}${octet}$`);

function canonical(address: string): string {
  const known = ipv4.test(address) ? address : canonical6(address);
  if (known === null || known === '0.0.0.0' || known === '::') {
    throw new RangeError(`not an address: ${JSON.stringify(address)}`);
  }
  return known;
}

/** The WHATWG parser knows every way to write IPv6 and has one way to print it (RFC 5952, section 4). */
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

/** Text that orders addresses by number. */
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
