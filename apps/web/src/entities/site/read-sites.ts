import { ApiError } from '../../api/api-error.ts';

/** Reads the site addresses of a pasted text, separated by spaces, lines, commas or semicolons. Drops repeated addresses. */
export function readSites(text: string): string[] {
  const parts = text.split(/\s+|[,;]+(?=\s|$|https?:)/i);
  // The path of a URL may contain commas and semicolons.
  const addresses = parts.flatMap((part) =>
    /^([a-z]+:\/\/)?[^/]*$/i.test(part) ? part.split(/[,;]/) : [part],
  );
  return [...new Set(addresses)].filter((address) => address !== '');
}

/**
 * Turns a refusal of new sites into errors of the fields of the form. For a list, the error of `address` names each refused
 * address.
 */
export function namingFields(error: unknown, addresses: readonly string[]): unknown {
  if (!(error instanceof ApiError)) return error;
  const lines = { address: '', openTo: '' };
  for (const [path, fault] of Object.entries(error.fields)) {
    const at = Number.parseInt(path, 10);
    const field = /politic|newPolicy/i.test(path) ? 'openTo' : 'address';
    const line = Number.isNaN(at) || field === 'openTo' ? fault : `${addresses[at] ?? ''}: ${fault}`;
    lines[field] += lines[field] === '' ? line : `\n${line}`;
  }
  const fields = Object.entries(lines).filter(([, fault]) => fault !== '');
  return new ApiError(error.code, error.message, error.status, Object.fromEntries(fields));
}
