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

/** Turns a refusal of `POST /domain-allowed/many` into an error of the field `address` that names each refused address. */
export function namingLines(error: unknown, addresses: readonly string[]): unknown {
  if (!(error instanceof ApiError) || Object.keys(error.fields).length === 0) return error;
  const lines = Object.entries(error.fields).map(
    ([path, fault]) => `${addresses[Number.parseInt(path, 10)] ?? ''}: ${fault}`,
  );
  return new ApiError(error.code, error.message, error.status, { address: lines.join('\n') });
}
