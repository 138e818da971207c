import { createCipheriv, createDecipheriv, createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { deflateRaw, inflateRaw } from 'node:zlib';
import { backupParts } from '@propusk/phrases/launcher';
import * as z from 'zod/mini';
import { damaged } from './backup-refused.ts';

const deflate = promisify(deflateRaw);
const inflate = promisify<Buffer, { maxOutputLength: number }, Buffer>(inflateRaw);

const TAG = 16;
/** Bytes of rows in a frame. FRAME_LIMIT bounds a frame before and after compression. */
export const ROWS_IN_FRAME = 1024 * 1024;
const FRAME_LIMIT = 4 * ROWS_IN_FRAME;

/** A table in a backup file, without generated columns. */
const Table = z.object({ name: z.string(), columns: z.array(z.string()) });
export type Table = z.infer<typeof Table>;

const Sequence = z.object({
  name: z.string(),
  value: z.string().check(z.regex(/^\d{1,19}$/)),
  called: z.boolean(),
  /** Whether the sequence belongs to the identity column of a table. */
  identity: z.boolean(),
});
export type Sequence = z.infer<typeof Sequence>;

/** The first frame: the data needed before any row. Tables follow those that they reference. */
const Contents = z.object({
  keys: z.object({ SECRET_KEY: z.string(), GATEWAY_SECRET: z.string() }),
  tables: z.array(Table),
  sequences: z.array(Sequence),
  /** The sealed signing key of the extension (`sealed-key.ts`). */
  extensionKey: z.optional(z.string()),
});
export type Contents = z.infer<typeof Contents>;

/** The first line of a frame. The first frame describes the file, the last one marks it as complete, the others hold rows. */
const Line = z.union([
  z.object({ contents: Contents }),
  z.object({ table: z.string() }),
  z.object({ digest: z.string() }),
]);
type Line = z.infer<typeof Line>;

/**
 * Encrypts and decrypts the frames of one file. The frame number is authenticated: a changed, missing,
 * repeated or foreign frame fails.
 */
export class Sealer {
  readonly #key: Buffer;
  readonly #bound: Buffer;
  readonly #digest = createHash('sha256');
  #number = 0n;

  /** @param header the file's first line with its end */
  constructor(key: Buffer, header: Buffer) {
    this.#key = key;
    this.#bound = createHash('sha256').update(header).digest();
    this.#digest.update(header);
  }

  /** @returns the bytes of the next frame: their length, ciphertext, tag (NIST SP 800-38D) */
  async seal(line: Line, rows: Buffer = Buffer.alloc(0)): Promise<Buffer> {
    const plain = await deflate(Buffer.concat([Buffer.from(`${JSON.stringify(line)}\n`), rows]));
    const cipher = createCipheriv('aes-256-gcm', this.#key, this.#nonce()).setAAD(this.#bound);
    const sealed = Buffer.concat([cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
    const length = Buffer.alloc(4);
    length.writeUInt32BE(sealed.length);
    const frame = Buffer.concat([length, sealed]);
    this.#digest.update(frame);
    return frame;
  }

  /** The last frame: a file without it was cut short. */
  async end(): Promise<Buffer> {
    return this.seal({ digest: this.#digest.copy().digest('base64url') });
  }

  /**
   * Opens the next frame.
   * @param length its first four bytes @param sealed those that follow
   * @throws BackupRefused when it is not the frame that was sealed here
   */
  async open(length: Buffer, sealed: Buffer): Promise<{ line: Line; rows: Buffer }> {
    const before = this.#digest.copy().digest('base64url');
    this.#digest.update(length).update(sealed);
    let plain: Buffer;
    try {
      const decipher = createDecipheriv('aes-256-gcm', this.#key, this.#nonce(), { authTagLength: TAG })
        .setAAD(this.#bound)
        .setAuthTag(sealed.subarray(-TAG));
      const packed = Buffer.concat([decipher.update(sealed.subarray(0, -TAG)), decipher.final()]);
      plain = await inflate(packed, { maxOutputLength: FRAME_LIMIT });
    } catch {
      throw damaged(backupParts.frame(this.#number));
    }
    const end = plain.indexOf('\n');
    const line = z.safeParse(Line, JSON.parse(plain.subarray(0, end).toString('utf8')));
    if (!line.success) throw damaged(backupParts.frame(this.#number));
    if ('digest' in line.data && line.data.digest !== before) throw damaged(backupParts.checksum());
    return { line: line.data, rows: plain.subarray(end + 1) };
  }

  /** The nonce is the frame number, and each file has its own key, so no pair of key and nonce repeats. */
  #nonce(): Buffer {
    const nonce = Buffer.alloc(12);
    nonce.writeBigUInt64BE(this.#number++, 4);
    return nonce;
  }
}

/**
 * Reads a frame's length from its first four bytes.
 * @throws BackupRefused when no frame of ours is as long, or as short
 */
export function lengthOf(bytes: Buffer): number {
  const length = bytes.readUInt32BE();
  if (length <= TAG || length > FRAME_LIMIT) throw damaged(backupParts.frameLength());
  return length;
}
