import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { networkInterfaces } from 'node:os';
import { addressAllowed, plainAddress } from '@propusk/dial/addresses';

/** @returns the public addresses of the network interfaces; none behind network address translation */
export function publicAddresses(): string[] {
  return Object.values(networkInterfaces())
    .flatMap((list) => list ?? [])
    .map(({ address }) => plainAddress(address))
    .filter((address) => addressAllowed(address, { v4: [], v6: [] }));
}

/** The process that listens on a TCP port. */
interface Holder {
  /** The program's name; empty when this user may not see it. */
  readonly name: string;
  /** Whether it runs this product's Node: a part of the product. */
  readonly isOurs: boolean;
}

/** State of a listening socket in /proc/net/tcp (include/net/tcp_states.h). */
const LISTEN = '0A';

/** Finds who listens on a TCP port (proc(5)). @returns null when the port is free */
export function holderOf(port: number): Holder | null {
  const hex = port.toString(16).toUpperCase().padStart(4, '0');
  const rows = ['tcp', 'tcp6'].flatMap((name) =>
    attempt(() => readFileSync(`/proc/net/${name}`, 'utf8')).split('\n'),
  );
  const listening = rows
    .map((row) => row.trim().split(/\s+/))
    .filter(([, local, , state]) => state === LISTEN && local?.endsWith(`:${hex}`));
  if (listening.length === 0) return null;
  const sockets = new Set(listening.map((row) => `socket:[${row[9]}]`));
  const pid = readdirSync('/proc').find(
    (name) =>
      /^\d+$/.test(name) &&
      list(`/proc/${name}/fd`).some((fd) =>
        sockets.has(attempt(() => readlinkSync(`/proc/${name}/fd/${fd}`))),
      ),
  );
  const name = attempt(() => readFileSync(`/proc/${pid}/comm`, 'utf8')).trim();
  return { name, isOurs: attempt(() => readlinkSync(`/proc/${pid}/exe`)) === process.execPath };
}

function list(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/** Processes end while they are read, and those of other users are closed. */
function attempt(read: () => string): string {
  try {
    return read();
  } catch {
    return '';
  }
}
