import { type DestinationStream, type Logger, pino } from 'pino';

// Requests are logged by method and path alone; these are the second floor, for an error that carries what it was given.
const secrets = [
  'req.headers.authorization',
  'req.headers.cookie',
  'err.parameters',
  'err.detail',
  '*.password',
  '*.token',
];

/**
 * The process's log: JSON lines in English.
 * @param to where they go, when not to stdout
 */
export function createLog(level: string, to?: DestinationStream): Logger {
  return pino({ level, base: { room: 'api' }, redact: secrets }, to);
}
