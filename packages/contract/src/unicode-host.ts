/**
 * Decodes every `xn--` label of a host to Unicode (RFC 3492). Keeps everything else, such as `*` and a port, and labels that do
 * not decode.
 */
export function unicodeHost(host: string): string {
  return host.replace(/xn--[a-z0-9-]+/gi, (label) => decode(label.slice(4)) ?? label);
}

// RFC 3492 section 5: the parameters of Punycode.
const BASE = 36;
const T_MIN = 1;
const T_MAX = 26;
const SKEW = 38;
const DAMP = 700;

function decode(input: string): string | undefined {
  const split = input.lastIndexOf('-');
  const output = Array.from(split > 0 ? input.slice(0, split) : '', (character) => character.charCodeAt(0));
  let code = 128;
  let index = 0;
  let bias = 72;
  for (let at = split > 0 ? split + 1 : 0; at < input.length; ) {
    const before = index;
    for (let weight = 1, k = BASE; ; k += BASE) {
      const digit = Number.parseInt(input.charAt(at++), BASE);
      if (Number.isNaN(digit)) return undefined;
      // In Punycode, a-z are the digits 0-25 and 0-9 are 26-35. parseInt reads 0-9 as 0-9 and a-z as 10-35.
      const value = digit < 10 ? digit + 26 : digit - 10;
      index += value * weight;
      const threshold = Math.min(Math.max(k - bias, T_MIN), T_MAX);
      if (value < threshold) break;
      weight *= BASE - threshold;
    }
    const size = output.length + 1;
    bias = adapt(index - before, size, before === 0);
    code += Math.floor(index / size);
    index %= size;
    if (code > 0x10ffff) return undefined;
    output.splice(index++, 0, code);
  }
  const text = String.fromCodePoint(...output);
  // Rejects other characters: a decoded slash or at sign, for example, could make the host look like a different address.
  return /^[\p{L}\p{M}\p{N}-]+$/u.test(text) ? text : undefined;
}

function adapt(delta: number, size: number, first: boolean): number {
  let rest = Math.floor(delta / (first ? DAMP : 2));
  rest += Math.floor(rest / size);
  let k = 0;
  for (; rest > ((BASE - T_MIN) * T_MAX) / 2; k += BASE) rest = Math.floor(rest / (BASE - T_MIN));
  return k + Math.floor(((BASE - T_MIN + 1) * rest) / (rest + SKEW));
}
