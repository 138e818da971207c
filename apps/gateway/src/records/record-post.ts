import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { feedRecords, type RecordBatch, recordsOf } from '@propusk/contract/gateway-records';

const REPLY_MS = 10_000;
/** The first byte of gzip (RFC 1952 section 2.3.1). */
const GZIP = 0x1f;

const decompress = promisify(gunzip);

/** Posts batches of records to the api. */
export class RecordPost {
  readonly #apiUrl: string;
  readonly #key: string;
  /** Whether the api is an earlier version, which refuses rows. */
  #isOldApi = false;

  /** @param key the key of the feed */
  constructor(apiUrl: string, key: string) {
    this.#apiUrl = apiUrl;
    this.#key = key;
  }

  /**
   * Posts a batch. An earlier version of the api gets the records in the form that it accepts.
   * @param body a `RecordBatch` as JSON, or that JSON compressed by gzip
   * @returns the status of the reply
   * @throws Error without a reply within 10 s, and after `stop`
   */
  async post(body: Buffer, stop: AbortSignal): Promise<number> {
    if (!this.#isOldApi) {
      const status = await this.#request(body, stop);
      if (status !== 400) return status;
    }
    const batch: RecordBatch = JSON.parse(String(body[0] === GZIP ? await decompress(body) : body));
    const { rows, ...rest } = batch;
    if (rows === undefined) return this.#isOldApi ? this.#request(body, stop) : 400;
    const old = Buffer.from(JSON.stringify({ ...rest, records: recordsOf(batch) }));
    const status = await this.#request(old, stop);
    this.#isOldApi = status === 204;
    return status;
  }

  async #request(body: Buffer, stop: AbortSignal): Promise<number> {
    const reply = await fetch(`${this.#apiUrl}/api${feedRecords.path}`, {
      method: feedRecords.method,
      headers: {
        authorization: `Bearer ${this.#key}`,
        'content-type': 'application/json',
        ...(body[0] === GZIP && { 'content-encoding': 'gzip' }),
      },
      body,
      // A redirect must not receive the key.
      redirect: 'error',
      signal: AbortSignal.any([stop, AbortSignal.timeout(REPLY_MS)]),
    });
    await reply.body?.cancel();
    return reply.status;
  }
}
