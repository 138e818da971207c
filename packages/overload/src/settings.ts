import { totalmem } from 'node:os';
import { wholeNumber } from '@propusk/contract/settings';

const MIB = 1024 * 1024;
/** A container may have less than its machine. */
const machine = Math.min(totalmem(), process.constrainedMemory() || totalmem()) / MIB;
/** On a machine of 1 GB, PostgreSQL, api and gateway get a quarter each. */
const quarter = Math.round(Math.min(Math.max(machine / 4, 192), 4_096));

/** Limits of one process: open connections, and MiB of heap and buffers. */
export const overloadSettings = {
  SOCKETS: wholeNumber(10_000, 16, 200_000),
  MEMORY: wholeNumber(quarter, 128, 65_536),
};

/** MEMORY in bytes. */
export function memoryLimit(mebibytes: number): number {
  return mebibytes * MIB;
}
