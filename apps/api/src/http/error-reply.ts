import type { Socket } from 'node:net';
import { type ErrorBody, type ErrorCode, errors } from '@propusk/contract/errors';
import { errorDetails, errorMessages } from '@propusk/phrases/errors';
import { type FieldFault, faultOf } from '@propusk/phrases/field-fault';
import { fieldFaults } from '@propusk/phrases/fields';
import { render } from '@propusk/phrases/phrase';
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import * as z from 'zod/mini';
import { AppError } from '../core/errors.ts';

const fastifyErrors: Record<string, ErrorCode> = {
  FST_ERR_CTP_BODY_TOO_LARGE: 'too_large',
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'bad_media_type',
  FST_ERR_CTP_EMPTY_JSON_BODY: 'bad_json',
  FST_ERR_CTP_INVALID_JSON_BODY: 'bad_json',
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: 'bad_input',
  FST_ERR_BAD_URL: 'bad_input',
  FST_ERR_MAX_PARAM_LENGTH: 'not_found',
};

const byStatus: Record<number, ErrorCode> = {
  403: 'not_found',
  404: 'not_found',
  413: 'too_large',
  415: 'bad_media_type',
};

// SQLSTATE codes. PostgreSQL raises LOCK_NOT_AVAILABLE when lock_timeout has passed.
const LOCK_NOT_AVAILABLE = '55P03';
const DISK_FULL = '53100';

// SQLSTATE classes and errno values which mean that the database is unavailable. 57014: statement_timeout; 55000: the database
// accepts no connections; 25006: a standby that is still read-only; EAGAIN: the backlog of the Unix socket is full.
const away =
  /^(08|25006$|55000$|57014$|57P|53|EAGAIN|ECONNREFUSED|ECONNRESET|ENOENT|ENOTFOUND|EAI_AGAIN|EPIPE|ETIMEDOUT)/;

/** The security headers of a reply to a malformed request or URL, for which Fastify runs no hooks. */
const bare = {
  'content-security-policy': "default-src 'none';base-uri 'none';form-action 'none';frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
};

/** Fastify's error handler: answers every error as `{code, message, fields?}`, without a stack. */
export function answerError(
  error: FastifyError | AppError,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  const refusal = asRefusal(error);
  const isFault =
    refusal.code === 'internal' ||
    refusal.code === 'unavailable' ||
    (refusal.code === 'disk_full' && refusal !== error);
  if (isFault) request.log.error({ err: error }, 'a call failed');
  return answer(reply, refusal);
}

/** Validates params, query or body by a schema, for Fastify. Invalid input becomes bad_input with the invalid fields. */
export function validate({ schema }: { schema: z.ZodMiniType }) {
  return (data: unknown) => {
    const read = z.safeParse(schema, data, { reportInput: true });
    if (read.success) return { value: read.data };
    const fields: Record<string, FieldFault> = {};
    for (const issue of read.error.issues)
      if (issue.path.length > 0) fields[issue.path.map(String).join('.')] ??= faultOf(issue);
    // If the body is not an object, the error names no field.
    return { error: new AppError('bad_input', Object.keys(fields).length > 0 ? { fields } : {}) };
  };
}

export function answerNoSuchCall(_request: FastifyRequest, reply: FastifyReply): FastifyReply {
  return answer(reply, new AppError('no_such_call'));
}

/** Answers a request that is not valid HTTP. The body has the form of every error reply. */
export function answerUnreadable(error: Error & { code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) return;
  const { status } = errors.bad_input;
  const body = JSON.stringify(bodyOf(new AppError('bad_input')));
  const head = Object.entries(bare).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(
    `HTTP/1.1 ${status} Bad Request\r\ncontent-type: application/json; charset=utf-8\r\n${head.join('')}` +
      `content-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`,
  );
  // Closes the socket after the response is sent, without waiting for the client to close its side.
  socket.destroySoon();
}

function bodyOf({ code, facts: { detail, fields } }: AppError): ErrorBody {
  const message = detail === undefined ? errorMessages[code] : render(errorDetails, detail);
  if (fields === undefined) return { code, message };
  const faults = Object.entries(fields).map(([path, fault]) => [path, render(fieldFaults, fault)]);
  return { code, message, fields: Object.fromEntries(faults) };
}

/** Renders the error of one row of a bulk call. */
export const rowOf = ({ id, error }: { id: number; error: AppError }) => ({ id, ...bodyOf(error) });

function answer(reply: FastifyReply, refusal: AppError): FastifyReply {
  // RFC 9110 section 11.6.1 requires WWW-Authenticate with 401. The scheme is Bearer, so that browsers show no login dialog.
  if (errors[refusal.code].status === 401) reply.header('www-authenticate', 'Bearer');
  if (refusal.facts.retryAfter !== undefined) reply.header('retry-after', String(refusal.facts.retryAfter));
  if (!reply.hasHeader('content-security-policy')) reply.headers(bare);
  // The reply is sent as a string, so that the reply schema of the route does not apply.
  return reply
    .status(errors[refusal.code].status)
    .header('content-type', 'application/json; charset=utf-8')
    .serializer(String)
    .send(JSON.stringify(bodyOf(refusal)));
}

function asRefusal(error: FastifyError | AppError): AppError {
  if (error instanceof AppError) return error;
  const known = fastifyErrors[error.code];
  if (known !== undefined) return new AppError(known);
  if ('code' in error && error.code === LOCK_NOT_AVAILABLE) return new AppError('busy', { retryAfter: 1 });
  if ('code' in error && error.code === DISK_FULL) return new AppError('disk_full');
  if (isAway(error)) return new AppError('unavailable');
  // Some errors of Fastify plugins have a status but no known code, for example the error for an unknown encoding.
  const status = error.statusCode ?? 500;
  if (status >= 400 && status < 500) return new AppError(byStatus[status] ?? 'bad_input');
  return new AppError('internal');
}

/** Whether an error means that the database is unreachable now. */
export function isAway(error: Error & { code?: unknown }): boolean {
  if (typeof error.code === 'string' && away.test(error.code)) return true;
  // node-postgres throws these errors without a code. `is not queryable` means that the connection broke just before the query.
  return /timeout exceeded when trying to connect|Connection terminated|is not queryable/.test(error.message);
}
