import { databasePhrases } from '@propusk/phrases/launcher';

/** A failed start. The supervisor prints `message` and exits; `details` helps with debugging. */
export class StartError extends Error {
  /** The last useful lines of the database's own log, in English; empty when there are none. */
  readonly details: string;

  /**
   * @param message one line for the operator: what is wrong and what to do
   * @param options details: lines of the log; cause: the underlying error
   */
  constructor(message: string, options: { details?: string; cause?: unknown } = {}) {
    super(message.replaceAll(/\s*\n\s*/g, ' '), { cause: options.cause });
    this.name = 'StartError';
    this.details = options.details ?? '';
  }
}

/**
 * Turns a system error into a StartError.
 * @param error a StartError is returned as it is; so is an error without a code, a bug that keeps its stack
 * @param action the clause of fileActions for the failed step
 */
export function startErrorFrom(error: unknown, action: string): Error {
  if (!(error instanceof Error)) return new Error(String(error));
  const { code, message } = error as NodeJS.ErrnoException;
  if (error instanceof StartError || code === undefined) return error;
  return new StartError(databasePhrases.fileError(action, code, message), { cause: error, details: message });
}
