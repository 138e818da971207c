import { isIP } from 'node:net';
import { totalmem } from 'node:os';
import { wholeNumber } from '@propusk/contract/settings';
import * as z from 'zod/mini';

const MIB = 1024 * 1024;
/** A container may have less than its machine. */
const machine = Math.min(totalmem(), process.constrainedMemory() || totalmem()) / MIB;
/** On a machine of 1 GB, PostgreSQL, api and gateway get a quarter each. */
const quarter = Math.round(Math.min(Math.max(machine / 4, 192), 4_096));

/**
 * Limits of one process. SOCKETS: open connections; the default exceeds the 20,000 tunnels of a gateway. MEMORY: heap and buffers
 * in MiB.
 */
export const overloadSettings = {
  SOCKETS: wholeNumber(21_000, 16, 200_000),
  MEMORY: wholeNumber(quarter, 128, 65_536),
};

/** MEMORY in bytes. */
export function memoryLimit(mebibytes: number): number {
  return mebibytes * MIB;
}

/**
 * Addresses and networks separated by commas, none by default: those whose word about a client's address is believed. A network
 * of every address (`/0`) is invalid.
 */
export const addressList = z.pipe(
  z._default(z.string(), ''),
  z.pipe(
    z.transform((text: string) =>
      text
        .split(',')
        .map((part) => part.trim())
        .filter(Boolean),
    ),
    z.array(z.string().check(z.refine(isNetwork))),
  ),
);

/** Whether the text is an address or a network with a prefix of at least 1 bit. */
function isNetwork(text: string): boolean {
  const [address = '', prefix = '1', ...rest] = text.split('/');
  const bits = isIP(address) === 6 ? 128 : 32;
  const given = /^\d{1,3}$/.test(prefix) ? Number(prefix) : 0;
  return isIP(address) !== 0 && !address.includes('%') && rest.length === 0 && given >= 1 && given <= bits;
}
