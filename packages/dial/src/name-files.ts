import { readFileSync, statSync } from 'node:fs';
import { isIP } from 'node:net';

/** Reads /etc/hosts and the search domains of /etc/resolv.conf, since queries of c-ares apply neither. */

/** Milliseconds between two checks of a file. */
const LOOK_MS = 1_000;

/**
 * Follows a small text file: reads it again when its modification time or size changes, and looks at most once a second.
 * @returns the parsed content; that of an empty text while the file cannot be read
 */
export function followFile<T>(path: string, parse: (text: string) => T, now: () => number): () => T {
  let value = parse('');
  let version = '';
  let due = Number.NEGATIVE_INFINITY;
  return () => {
    if (now() < due) return value;
    due = now() + LOOK_MS;
    try {
      const { mtimeMs, size } = statSync(path);
      const current = `${mtimeMs} ${size}`;
      if (current === version) return value;
      value = parse(readFileSync(path, 'utf8'));
      version = current;
    } catch {
      [value, version] = [parse(''), ''];
    }
    return value;
  };
}

/** Parses hosts(5). @returns the addresses of each name in lower case; `localhost` always has some (RFC 6761) */
export function parseHostsFile(text: string): ReadonlyMap<string, readonly string[]> {
  const hosts = new Map<string, string[]>();
  for (const line of text.split('\n')) {
    const [address = '', ...names] = (/^[^#]*/.exec(line)?.[0] ?? '').trim().split(/\s+/);
    if (isIP(address) === 0) continue;
    for (const name of names) {
      const key = name.toLowerCase();
      hosts.set(key, [...(hosts.get(key) ?? []), address]);
    }
  }
  if (!hosts.has('localhost')) hosts.set('localhost', ['127.0.0.1', '::1']);
  return hosts;
}

/** Parses the search domains of resolv.conf(5): the last `search` or `domain` line counts. */
export function parseSearchDomains(text: string): readonly string[] {
  const lines = text.matchAll(/^(?:search|domain)[ \t]+(.+)$/gm);
  const [, domains = ''] = [...lines].at(-1) ?? [];
  return domains.split(/\s+/).filter((domain) => domain !== '' && domain !== '.');
}
