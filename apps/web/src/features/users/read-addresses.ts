/** Zero-width characters and soft hyphens, which web pages and documents leave in a copied text. */
const invisible = /[\u00ad\u200b-\u200d\u2060\ufeff]/g;
/**
 * Matches a display name, which may be quoted and contain commas, and the address in angle brackets after it. Both are optional:
 * the expression matches at every position, so that a search takes linear time.
 */
const named = /((?:"[^"\n]*"|[^<>"@;\n])*)(?:<([^<>]*)>)?/g;

/**
 * Replaces a name and its address with the address. In `a@x.ru Anna <b@y.ru>` the match after the first `@` begins with the domain
 * `x.ru`, which is kept.
 */
function unnamed(match: string, name: string, address: string | undefined, at: number, text: string): string {
  if (address === undefined) return match;
  const start = /[^;\n]/.test(text.charAt(at - 1)) ? name.search(/[\s,]/) : 0;
  return start < 0 ? match : `${name.slice(0, start)} ${address},`;
}

/**
 * Reads the email addresses of a pasted text. They are separated by commas, semicolons, spaces or lines, and may be written as
 * `Name <address>` or as `mailto:` links. Cells of a spreadsheet row without an address are dropped. Other text that is no
 * address is returned too, so that the form names it in an error.
 */
export function readAddresses(text: string): string[] {
  const lines = text.replace(invisible, '').replace(named, unnamed).split('\n');
  return lines
    .flatMap((line) => {
      const cells = line.split('\t').filter((cell) => cell.includes('@'));
      return cells.length > 0 && line.includes('\t') ? cells : [line];
    })
    .flatMap((part) => part.split(/[\s,;]+/))
    .map((address) => address.replace(/^mailto:([^?]*).*$/i, '$1'))
    .filter((address) => address !== '');
}
