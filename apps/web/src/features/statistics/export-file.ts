import { exportVisits, type VisitFilter } from '@propusk/contract/records';
import { networkError } from '../../api/api-error.ts';
import { openStream } from '../../api/stream.ts';
import { csvConverter, csvHead } from './csv.ts';

export type Format = 'csv' | 'jsonl';

/** Bytes of a part of the file. The browser may move a Blob to its disk, but no array. */
const PART = 1_000_000;
const NEWLINE = 10;

/**
 * Reads the filtered access log as a file.
 * @param onProgress called for each chunk
 * @throws ApiError when the call is refused or the file is incomplete; TypeError when the connection breaks; after an abort any error
 */
export async function readExport(
  query: VisitFilter,
  format: Format,
  onProgress: (rows: number, bytes: number) => void,
  signal: AbortSignal,
): Promise<Blob> {
  const reader = (await openStream(exportVisits, query, signal)).getReader();
  const convert = format === 'csv' ? csvConverter() : (chunk: Uint8Array<ArrayBuffer>) => chunk;
  const parts: Blob[] = [];
  let recent: BlobPart[] = format === 'csv' ? [csvHead] : [];
  let [rows, bytes, unjoined, last] = [0, 0, 0, NEWLINE];
  for (let read = await reader.read(); !read.done; read = await reader.read()) {
    const chunk = read.value;
    recent.push(convert(chunk));
    for (const byte of chunk) if (byte === NEWLINE) rows += 1;
    bytes += chunk.length;
    unjoined += chunk.length;
    if (unjoined > PART) {
      parts.push(new Blob(recent));
      [recent, unjoined] = [[], 0];
    }
    last = chunk.at(-1) ?? last;
    onProgress(rows, bytes);
  }
  // A proxy may end a broken stream without an error.
  if (last !== NEWLINE) throw networkError();
  return new Blob([...parts, ...recent]);
}
