import { type Logger, pino } from 'pino';

/**
 * The gateway's log: JSON lines in English on stdout. Headers are never logged. Redaction is a second defence against an object
 * that holds a secret.
 */

export type Log = Logger;

const secrets = ['password', 'token', 'secret', 'authorization', 'proxy-authorization', 'username'];

/** Creates the process's log. */
export function createLog(level: string): Log {
  return pino({
    level,
    base: { room: 'gateway' },
    redact: secrets.flatMap((name) => [name, `*["${name}"]`]),
  });
}
