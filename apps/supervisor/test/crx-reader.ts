import { createHash, createPublicKey, verify } from 'node:crypto';

/** A protobuf message as lists of fields by number. All fields of CRX3 headers are bytes (wire type 2). */
function fieldsOf(message: Buffer): Map<number, Buffer[]> {
  const fields = new Map<number, Buffer[]>();
  let at = 0;
  const varint = () => {
    let value = 0;
    for (let shift = 1; ; shift *= 128) {
      const byte = message.readUInt8(at++);
      value += (byte & 127) * shift;
      if (byte < 128) return value;
    }
  };
  while (at < message.length) {
    const tag = varint();
    if (tag % 8 !== 2) throw new Error(`wire type ${tag % 8}`);
    const length = varint();
    if (at + length > message.length) throw new Error('truncated field');
    const number = (tag - 2) / 8;
    fields.set(number, [...(fields.get(number) ?? []), message.subarray(at, at + length)]);
    at += length;
  }
  return fields;
}

function only<T>(items: readonly T[] | undefined): T {
  const [item] = items ?? [];
  if (item === undefined || items?.length !== 1)
    throw new Error(`${items?.length ?? 0} fields instead of one`);
  return item;
}

/**
 * Reads a CRX3 file as Chromium's crx_verifier.cc does, independently of the code that writes it.
 * @returns the public key (SPKI), the 16 bytes of the id, and the archive
 * @throws Error when the file is malformed, or its signature or id does not belong to its key
 */
export function readCrx(crx: Buffer): { publicKey: Buffer; id: Buffer; archive: Buffer } {
  if (crx.toString('latin1', 0, 4) !== 'Cr24') throw new Error('magic number');
  if (crx.readUInt32LE(4) !== 3) throw new Error('version');
  const end = 12 + crx.readUInt32LE(8);
  const header = fieldsOf(crx.subarray(12, end));
  const signedData = only(header.get(10_000));
  const proof = fieldsOf(only(header.get(2)));
  const publicKey = only(proof.get(1));
  const id = only(fieldsOf(signedData).get(1));
  const archive = crx.subarray(end);
  const length = Buffer.alloc(4);
  length.writeUInt32LE(signedData.length);
  const signed = Buffer.concat([Buffer.from('CRX3 SignedData\0'), length, signedData, archive]);
  const key = createPublicKey({ key: publicKey, type: 'spki', format: 'der' });
  if (!verify('sha256', signed, key, only(proof.get(2)))) throw new Error('signature');
  if (!createHash('sha256').update(publicKey).digest().subarray(0, 16).equals(id)) throw new Error('id');
  return { publicKey, id, archive };
}
