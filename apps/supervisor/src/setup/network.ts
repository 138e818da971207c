import { execFileSync } from 'node:child_process';
import { readlinkSync } from 'node:fs';
import { networkInterfaces } from 'node:os';
import { addressAllowed, plainAddress } from '@propusk/dial/addresses';
import { createLookup } from '@propusk/dial/resolver';

/** Finds the addresses of a name; none when DNS has no answer. */
export type Dns = (name: string) => Promise<string[]>;

/** Asks DNS itself: /etc/hosts often holds a server's own name with a loopback address. @param servers instead of the system's */
export function openDns(servers: readonly string[]): Dns {
  return async (name) => {
    // A cache would hide a record that is corrected while setup waits.
    const lookup = createLookup({ servers, hostsFile: '/dev/null' });
    try {
      return (await lookup(name, 0)).map(plainAddress);
    } catch {
      return [];
    }
  };
}

/** @returns the public addresses of the network interfaces; none behind network address translation */
export function publicAddresses(): string[] {
  return Object.values(networkInterfaces())
    .flatMap((list) => list ?? [])
    .map(({ address }) => plainAddress(address))
    .filter((address) => addressAllowed(address, { v4: [], v6: [] }));
}

/**
 * Finds the program that listens on a TCP port (ss(8)). Other users' programs have no name unless this user is root.
 * @returns null when the port is free, or a part of this product listens: it runs the same Node
 */
export function strangerOn(port: number): { name: string } | null {
  const line = execFileSync('ss', ['-Hltnp', `sport = :${port}`], { encoding: 'utf8' });
  if (line === '') return null;
  const [, name = '', pid] = /"([^"]+)",pid=(\d+)/.exec(line) ?? [];
  return pid !== undefined && readlinkSync(`/proc/${pid}/exe`) === process.execPath ? null : { name };
}
