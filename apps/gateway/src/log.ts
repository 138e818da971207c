import { type Logger, pino } from 'pino';

/**
 * The gateway's log: JSON lines in English on stdout. Headers are never logged. Redaction is a second defence against an object
 * that holds a secret.
 */

export type Log = Logger;

const secrets = ['password', 'token', 'secret', 'authorization', 'proxy-authorization', 'username'];

/** The message of an error and of its cause. */
export function faultOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown';
  return error.cause instanceof Error ? `${error.message}: ${error.cause.message}` : error.message;
}

/** Creates the process's log. */
export function createLog(level: string): Log {
  return pino({
    level,
    base: { room: 'gateway' },
    redact: secrets.flatMap((name) => [name, `*["${name}"]`]),
  });
}
