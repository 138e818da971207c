import type { FastifyRequest } from 'fastify';
import { type DestinationStream, type Logger, pino, stdSerializers } from 'pino';

// Properties of log entries that may contain secrets of a caller. The log does not show their values.
const secrets = [
  'req.headers.authorization',
  'req.headers.cookie',
  'err.parameters',
  'err.detail',
  '*.password',
  '*.token',
];

/**
 * Creates the process's log: JSON lines in English.
 * @param to the destination; the default is stdout
 */
export function createLog(level: string, to?: DestinationStream): Logger {
  return pino(
    { level, base: { room: 'api' }, redact: secrets, serializers: { req: requestLine, err: errorLines } },
    to,
  );
}

/** The maximum length of a path or a host in the log, in characters. */
const MOST = 260;

/** Logs a request without its query string, which may hold search terms, or tokens sent by mistake. */
function requestLine(request: FastifyRequest): Record<string, unknown> {
  const { method, host, ip, socket } = request;
  const url = pathOf(request.url).slice(0, MOST);
  return { method, url, host: host.slice(0, MOST), remoteAddress: ip, remotePort: socket.remotePort };
}

/** Returns only the path of a request target, which may be a full URL with credentials (RFC 9112 section 3.2.2). */
function pathOf(target: string): string {
  return target.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i, '').replace(/[?#].*/s, '');
}

/** Logs an error. Removes query strings, which error messages of Fastify and `fetch` may contain. */
function errorLines(error: Error): unknown {
  const lines: Record<string, unknown> = { ...stdSerializers.err(error) };
  for (const name of ['message', 'stack']) {
    const text = lines[name];
    if (typeof text === 'string') lines[name] = text.replace(/(\/[^\s?#'"]*)[?#][^\s'"]*/g, '$1');
  }
  return lines;
}
