import { AppError } from './errors.ts';

/** The entity tags that a caller's `If-Match` names; null when any version will do. */
export type IfMatch = readonly string[] | null;

const TAG = /^(?:W\/)?"([\x21\x23-\x7e]*)"$/;

/**
 * Reads `If-Match` (RFC 9110 section 13.1.1). A weak tag counts as the strong one: a proxy that compresses makes ours weak on
 * the way to the caller, and the RFC's own comparison would then refuse every edit.
 * @throws AppError bad_input when the header is no list of entity tags
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

/** @throws AppError changed_meanwhile when the caller speaks of another version than the one at hand */
export function expectVersion(ifMatch: IfMatch, version: number): void {
  if (ifMatch !== null && !ifMatch.includes(String(version))) throw new AppError('changed_meanwhile');
}
