import type { IncomingHttpHeaders } from 'node:http';

/**
 * Which headers pass the gateway, in either direction (RFC 9110 section 7.6.1). Raw headers, `[name, value, name,
 * value]`: their order, letter case and repetition are kept.
 */

const hopByHop = new Set(['connection', 'keep-alive', 'te', 'trailer', 'transfer-encoding', 'upgrade']);

/** A sender must not drop these by naming them in `Connection`: they delimit and route the message. */
const notNominable = new Set(['content-length', 'host']);

/**
 * The end-to-end headers: without hop-by-hop ones, those that `Connection` names, and all `Proxy-*`, which include the client's
 * credentials for this gateway and an upstream's challenge.
 */
export function endToEnd(raw: readonly string[]): string[] {
  const nominated = new Set<string>();
  for (let i = 0; i < raw.length; i += 2) {
    if (raw[i]?.toLowerCase() !== 'connection') continue;
    for (const option of raw[i + 1]?.split(',') ?? []) nominated.add(option.trim().toLowerCase());
  }
  const kept: string[] = [];
  for (let i = 0; i < raw.length; i += 2) {
    const [name = '', value = ''] = [raw[i], raw[i + 1]];
    const lower = name.toLowerCase();
    if (hopByHop.has(lower) || lower.startsWith('proxy-')) continue;
    if (nominated.has(lower) && !notNominable.has(lower)) continue;
    kept.push(name, value);
  }
  return kept;
}

/** Headers without those of one name. */
export function without(raw: readonly string[], name: string): string[] {
  const kept: string[] = [];
  for (let i = 0; i < raw.length; i += 2) {
    if (raw[i]?.toLowerCase() !== name) kept.push(raw[i] ?? '', raw[i + 1] ?? '');
  }
  return kept;
}

/** The first value of a header. @param name in lower case */
export function valueOf(raw: readonly string[], name: string): string | undefined {
  for (let i = 0; i < raw.length; i += 2) if (raw[i]?.toLowerCase() === name) return raw[i + 1];
  return undefined;
}

/** How many fields have a name. @param name in lower case */
export function countOf(raw: readonly string[], name: string): number {
  let count = 0;
  for (let i = 0; i < raw.length; i += 2) if (raw[i]?.toLowerCase() === name) count += 1;
  return count;
}

/** Whether a message has a transfer coding that the gateway cannot decode: any but `chunked` (RFC 9112 section 7). */
export function isCoded(raw: readonly string[]): boolean {
  const codings: string[] = [];
  for (let i = 0; i < raw.length; i += 2)
    if (raw[i]?.toLowerCase() === 'transfer-encoding') codings.push(raw[i + 1]?.trim().toLowerCase() ?? '');
  return codings.length > 0 && codings.join() !== 'chunked';
}

/** Whether a request brings a body (RFC 9112 section 6.3). */
export function hasBody(headers: IncomingHttpHeaders): boolean {
  const length = headers['content-length'];
  return headers['transfer-encoding'] !== undefined || (length !== undefined && Number(length) > 0);
}
