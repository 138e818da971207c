import { argon2, createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import { backupParts, backupPhrases } from '@propusk/phrases/launcher';
import * as z from 'zod/mini';
import { BackupRefused, damaged } from './backup-refused.ts';

const derive = promisify(argon2);

/** The format that this version writes, and the newest that it reads. */
export const FORMAT = 1;
/** Far above any real header. Bounds the read of a file without a line break. */
export const HEADER_LIMIT = 64 * 1024;

/** Parameters for deriving keys from a passphrase. */
export const passFields = {
  salt: z.string().check(z.regex(/^[A-Za-z0-9_-]{22}$/)),
  /** Verifies the passphrase before any frame is decrypted. */
  check: z.string(),
};

/** The first line of a file, readable without the passphrase. Every frame is bound to it. */
export type Header = z.infer<typeof Header>;
const Header = z.object({
  propusk: z.literal('backup'),
  format: z.literal(FORMAT),
  created: z.string(),
  /** The name of the newest migration in the schema of the rows. */
  migration: z.string().check(z.regex(/^\d{3}-[a-z0-9.-]{1,100}$/)),
  /** Rows of each table. */
  tables: z.record(z.string(), z.number().check(z.int(), z.gte(0))),
  /** Whether the records of access are in the file. Files of 0.1 do not say it, and have none. */
  records: z.optional(z.boolean()),
  ...passFields,
});

/**
 * @param line the first line of a file, without its end
 * @throws BackupRefused when it is no backup, a damaged one, or one of a newer program
 */
export function parseHeader(line: Buffer): Header {
  let header: unknown;
  try {
    header = JSON.parse(line.toString('utf8'));
  } catch {
    throw new BackupRefused(backupPhrases.notABackup());
  }
  const format = z.safeParse(z.object({ propusk: z.literal('backup'), format: z.number() }), header);
  if (!format.success) {
    throw new BackupRefused(backupPhrases.notABackup());
  }
  if (format.data.format > FORMAT) {
    throw new BackupRefused(backupPhrases.newerFormat());
  }
  const parsed = z.safeParse(Header, header);
  if (!parsed.success) throw damaged(backupParts.firstLine());
  return parsed.data;
}

/** Keys derived from the passphrase. */
export interface PassKeys {
  /** Encrypts the frames. Each file has its own salt, so no two files share this key. */
  readonly frames: Buffer;
  readonly check: string;
}

/**
 * argon2id at the second choice of RFC 9106 (64 MiB, three passes, four lanes). The cost belongs to the format: a file
 * cannot ask for another.
 */
export async function passKeys(passphrase: string, salt: string): Promise<PassKeys> {
  const root = await derive('argon2id', {
    // Two systems may encode the same typed letters differently in Unicode, so normalize them (NIST SP
    // 800-63B section 5.1.1.2).
    message: Buffer.from(passphrase.normalize('NFKC')),
    nonce: Buffer.from(salt, 'base64url'),
    memory: 65_536,
    passes: 3,
    parallelism: 4,
    tagLength: 32,
  });
  const key = (use: string) => Buffer.from(hkdfSync('sha256', root, 'propusk-backup', use, 32));
  return {
    frames: key('frames'),
    check: createHmac('sha256', key('check')).update('passphrase').digest('base64url'),
  };
}

/** @throws BackupRefused when the file was sealed with another passphrase */
export async function openWith(
  passphrase: string,
  header: Pick<Header, 'salt' | 'check'>,
): Promise<PassKeys> {
  const keys = await passKeys(passphrase, header.salt);
  const [ours, theirs] = [Buffer.from(keys.check), Buffer.from(header.check)];
  if (ours.length !== theirs.length || !timingSafeEqual(ours, theirs)) {
    throw new BackupRefused(backupPhrases.wrongPassphrase());
  }
  return keys;
}
