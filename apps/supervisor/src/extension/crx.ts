import { createHash, createPublicKey, type KeyObject, sign } from 'node:crypto';

/**
 * Writes CRX3, the format of signed Chromium extensions:
 * https://chromium.googlesource.com/chromium/src/+/main/components/crx_file/crx3.proto
 */

const MAGIC = 'Cr24';
const VERSION = 3;
/** The lengths of the magic number, of the version and of the header's length, in bytes. */
const PREFIX = 12;
/** The field numbers of the messages CrxFileHeader, AsymmetricKeyProof and SignedData. */
const SHA256_WITH_RSA = 2;
const SIGNED_HEADER_DATA = 10_000;
const PUBLIC_KEY = 1;
const SIGNATURE = 2;
const CRX_ID = 1;

/** @returns the public key of an RSA private key as DER (SubjectPublicKeyInfo) */
export const publicKeyOf = (key: KeyObject): Buffer =>
  createPublicKey(key).export({ type: 'spki', format: 'der' });

/** @returns the id by which Chromium knows an extension: 32 letters from a to p that encode a hash of its public key */
export function extensionId(publicKey: Uint8Array): string {
  const digits = hashOf(publicKey).toString('hex');
  return digits.replaceAll(/./g, (digit) => String.fromCharCode(97 + Number.parseInt(digit, 16)));
}

/**
 * Signs an archive. The result depends on the archive and the key only, because PKCS #1 v1.5 signatures are deterministic.
 * @param archive a zip with manifest.json
 * @param key an RSA private key
 * @returns the content of the .crx file
 */
export function packCrx(archive: Uint8Array, key: KeyObject): Buffer {
  const publicKey = publicKeyOf(key);
  const signedData = field(CRX_ID, hashOf(publicKey));
  const signed = Buffer.concat([
    Buffer.from('CRX3 SignedData\0'),
    uint32(signedData.length),
    signedData,
    archive,
  ]);
  const proof = Buffer.concat([field(PUBLIC_KEY, publicKey), field(SIGNATURE, sign('sha256', signed, key))]);
  const header = Buffer.concat([field(SHA256_WITH_RSA, proof), field(SIGNED_HEADER_DATA, signedData)]);
  return Buffer.concat([Buffer.from(MAGIC), uint32(VERSION), uint32(header.length), header, archive]);
}

/** @returns the archive inside a file of `packCrx`, without checking its signature */
export const archiveOf = (crx: Buffer): Buffer => crx.subarray(PREFIX + crx.readUInt32LE(PREFIX - 4));

const hashOf = (publicKey: Uint8Array) => createHash('sha256').update(publicKey).digest().subarray(0, 16);

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}

/** A protobuf field of bytes or of an embedded message (wire type 2). */
const field = (number: number, bytes: Uint8Array) =>
  Buffer.concat([varint(number * 8 + 2), varint(bytes.length), bytes]);

function varint(value: number): Buffer {
  return value < 128
    ? Buffer.from([value])
    : Buffer.concat([Buffer.from([(value % 128) + 128]), varint(Math.floor(value / 128))]);
}
