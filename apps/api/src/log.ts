import type { FastifyRequest } from 'fastify';
import { type DestinationStream, type Logger, pino, stdSerializers } from 'pino';

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
  return pino(
    { level, base: { room: 'api' }, redact: secrets, serializers: { req: requestLine, err: errorLines } },
    to,
  );
}

/** A request without its query string, which holds tokens of mistaken clients and the search terms of users. */
function requestLine(request: FastifyRequest): Record<string, unknown> {
  const { method, host, ip, socket } = request;
  return { method, url: pathOf(request.url), host, remoteAddress: ip, remotePort: socket.remotePort };
}

/** The path of a request's target: of `http://user:password@host/path?query` (RFC 9112 section 3.2.2) as of `/path?query`. */
function pathOf(target: string): string {
  return target.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i, '').replace(/[?#].*/s, '');
}

/** An error, without query strings that its text repeats, as those of Fastify and of `fetch` may. */
function errorLines(error: Error): unknown {
  const lines: Record<string, unknown> = { ...stdSerializers.err(error) };
  for (const name of ['message', 'stack']) {
    const text = lines[name];
    if (typeof text === 'string') lines[name] = text.replace(/(\/[^\s?#'"]*)[?#][^\s'"]*/g, '$1');
  }
  return lines;
}
