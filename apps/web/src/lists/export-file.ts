import type { Endpoint } from '@propusk/contract/endpoint';
import * as t from '@propusk/phrases/console';
import { networkError } from '../api/api-error.ts';
import { openStream } from '../api/stream.ts';
import { formatBytes } from '../entities/visit/visit-text.ts';

export type Format = 'csv' | 'jsonl';

/** The size of a part in bytes. Each full part becomes a Blob, which the browser can move from memory to disk. */
const PART = 1_000_000;
const NEWLINE = 10;
const types = { csv: 'text/csv', jsonl: 'application/x-ndjson' } as const;

/**
 * Reads the filtered rows of a call as a file.
 * @param onProgress gets the progress as a sentence, at the start and for each chunk
 * @throws ApiError when the call is refused or the file is incomplete; TypeError when the connection breaks; any error on abort
 */
export async function readExport(
  endpoint: Endpoint,
  query: object,
  format: Format,
  onProgress: (text: string) => void,
  signal: AbortSignal,
): Promise<File> {
  const tell = (rows: number, bytes: number) =>
    onProgress(t.statistics.export.progress(rows, formatBytes(bytes)));
  tell(0, 0);
  const { body, name } = await openStream(endpoint, query, types[format], signal);
  const reader = body.getReader();
  const parts: Blob[] = [];
  let recent: BlobPart[] = [];
  // The header line of a CSV does not count as a row.
  let rows = format === 'csv' ? -1 : 0;
  let [bytes, unjoined, last] = [0, 0, NEWLINE];
  for (let read = await reader.read(); !read.done; read = await reader.read()) {
    const chunk = read.value;
    recent.push(chunk);
    for (const byte of chunk) if (byte === NEWLINE) rows += 1;
    bytes += chunk.length;
    unjoined += chunk.length;
    if (unjoined > PART) {
      parts.push(new Blob(recent));
      [recent, unjoined] = [[], 0];
    }
    last = chunk.at(-1) ?? last;
    tell(rows, bytes);
  }
  // A proxy may end a broken stream without an error.
  if (last !== NEWLINE) throw networkError();
  return new File([...parts, ...recent], name || `export.${format}`);
}
