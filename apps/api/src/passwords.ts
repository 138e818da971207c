import { argon2, randomBytes, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';

const derive = promisify(argon2);

/** argon2id (RFC 9106) at OWASP's first choice: 46 MiB, one pass, one lane. */
const cost = { memory: 47_104, passes: 1, parallelism: 1, tagLength: 32 };

async function tag(password: string, nonce: Buffer, c: typeof cost): Promise<Buffer> {
  // The same letters typed on two systems may differ in composition (NIST SP 800-63B section 5.1.1.2).
  const message = Buffer.from(password.normalize('NFKC'));
  return derive('argon2id', { message, nonce, ...c });
}

/** @returns a PHC string: `$argon2id$v=19$m=…,t=…,p=…$salt$hash` */
export async function hashPassword(password: string): Promise<string> {
  const nonce = randomBytes(16);
  const hash = await tag(password, nonce, cost);
  const b64 = (bytes: Buffer) => bytes.toString('base64').replace(/=+$/, '');
  return `$argon2id$v=19$m=${cost.memory},t=${cost.passes},p=${cost.parallelism}$${b64(nonce)}$${b64(hash)}`;
}

// Checked when there is no such account, so that the answer takes as long as for a wrong password.
const nobody = hashPassword(randomBytes(16).toString('hex'));

/** Whether the password is the one that was hashed. Without a hash: no, in the same time. */
export async function verifyPassword(password: string, phc: string | undefined): Promise<boolean> {
  const match = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([^$]+)\$([^$]+)$/.exec(phc ?? (await nobody));
  const [, memory, passes, parallelism, nonce, hash] = match ?? [];
  if (nonce === undefined || hash === undefined) return false;
  const expected = Buffer.from(hash, 'base64');
  const actual = await tag(password, Buffer.from(nonce, 'base64'), {
    memory: Number(memory),
    passes: Number(passes),
    parallelism: Number(parallelism),
    tagLength: expected.length,
  });
  return timingSafeEqual(actual, expected) && phc !== undefined;
}
