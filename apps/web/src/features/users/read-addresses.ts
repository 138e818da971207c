/**
 * Reads the mail addresses of a pasted text: separated by commas, semicolons, spaces or lines, or as `Name <address>`, which
 * mail programs copy. Anything else stays in the list, so that the form refuses it by name.
 */
export function readAddresses(text: string): string[] {
  return text
    .split(/[,;\n]/)
    .flatMap((part) => /<([^<>]*)>/.exec(part)?.[1]?.trim() ?? part.trim().split(/\s+/))
    .filter((address) => address !== '');
}
