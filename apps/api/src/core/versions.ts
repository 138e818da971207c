import { AppError } from './errors.ts';

/** The entity tags of a caller's `If-Match`; null accepts any version. */
export type IfMatch = readonly string[] | null;

/** The entity that a call changes or deletes. */
export interface Target {
  readonly id: number;
  readonly ifMatch: IfMatch;
}

const TAG = /^(?:W\/)?"([\x21\x23-\x7e]*)"$/;

/**
 * Reads `If-Match` (RFC 9110 section 13.1.1). Treats a weak tag as a strong one. Compressing proxies make tags weak, and the
 * strong comparison of the RFC would refuse every edit with a weak tag.
 * @throws AppError bad_input when the header is not a list of entity tags
 */
export function readIfMatch(header: string | undefined): IfMatch {
  if (header === undefined || header.trim() === '*') return null;
  return header.split(',').map((item) => {
    const tag = TAG.exec(item.trim())?.[1];
    if (tag === undefined) throw new AppError('bad_input', { fields: { 'If-Match': ['no_etag'] } });
    return tag;
  });
}

/** The `ETag` of an entity at a version. */
export function etag(version: number): string {
  return `"${version}"`;
}

/** @throws AppError changed_meanwhile when the caller expects another version */
export function expectVersion(ifMatch: IfMatch, version: number): void {
  if (ifMatch !== null && !ifMatch.includes(String(version))) throw new AppError('changed_meanwhile');
}
