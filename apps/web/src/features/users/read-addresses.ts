/** Zero-width characters and soft hyphens, which web pages and documents leave in a copied text. */
const invisible = /[\u00ad\u200b-\u200d\u2060\ufeff]/g;
/** An address in angle brackets with the display name before it, which may be quoted and contain commas. */
const named = /(^|[\s,;])(?:"[^"]*"|[^<>"@;\n])*<([^<>]*)>/g;

/**
 * Reads the mail addresses of a pasted text: separated by commas, semicolons, spaces or lines, as `Name <address>`, which mail
 * programs copy, as `mailto:` links, or as rows of a spreadsheet, whose other cells are ignored. Anything else stays in the list, so
 * that the form refuses it by name.
 */
export function readAddresses(text: string): string[] {
  const lines = text.replace(invisible, '').replace(named, '$1$2,').split('\n');
  return lines
    .flatMap((line) => {
      const cells = line.split('\t').filter((cell) => cell.includes('@'));
      return cells.length > 0 && line.includes('\t') ? cells : [line];
    })
    .flatMap((part) => part.split(/[\s,;]+/))
    .map((address) => address.replace(/^mailto:([^?]*).*$/i, '$1'))
    .filter((address) => address !== '');
}
