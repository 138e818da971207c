import { readFileSync } from 'node:fs';
import { LIMITS, type Limits } from '../policy/concurrency-limits.ts';

/** The file descriptors of one process, divided among the connections that it opens. */
export interface DescriptorShares {
  /** The most client connections. */
  readonly clients: number;
  readonly limits: Limits;
  /** The most connections that undici's pools keep open to origins. */
  readonly kept: number;
}

/** The shares of the process's descriptors. A tenth of them is free for new connections, DNS and files. */
const [IN_USE, CLIENTS, REQUESTS, OF_COMPANY, OF_CALLER] = [0.9, 0.4, 0.4, 0.2, 0.05];

/** The limit of open descriptors of this process (RLIMIT_NOFILE, setrlimit(2)); infinite if /proc does not show it. */
export function descriptorLimit(): number {
  try {
    const [, most] = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'latin1')) ?? [];
    return Number(most ?? Number.POSITIVE_INFINITY);
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}

/** Divides descriptors, so that no company can take the last one. @param sockets the setting SOCKETS */
export function shareDescriptors(most: number, sockets: number): DescriptorShares {
  const atMost = (limit: number, share: number) => Math.max(1, Math.min(limit, Math.floor(most * share)));
  const clients = atMost(sockets, CLIENTS);
  const limits = {
    perCaller: atMost(LIMITS.perCaller, OF_CALLER),
    perCompany: atMost(LIMITS.perCompany, OF_COMPANY),
    total: atMost(LIMITS.total, REQUESTS),
  };
  return { clients, limits, kept: Math.floor(most * IN_USE) - clients - limits.total };
}
