import { databasePhrases } from '@propusk/phrases/launcher';

/** A start that cannot go on. The supervisor prints `message` and leaves; `details` is for whoever digs deeper. */
export class StartError extends Error {
  /** The last useful lines of the database's own log, in English; empty when there are none. */
  readonly details: string;

  /**
   * @param message one Russian line for a person: what is wrong and what to do
   * @param options details: lines of the log; cause: the error beneath
   */
  constructor(message: string, options: { details?: string; cause?: unknown } = {}) {
    super(message.replaceAll(/\s*\n\s*/g, ' '), { cause: options.cause });
    this.name = 'StartError';
    this.details = options.details ?? '';
  }
}

/**
 * Says a file system's error for a person.
 * @param error what was thrown. A StartError comes back as it is, and so does what is no system error: that is a mistake
 * of ours and keeps its stack.
 * @param action what was being done, as a Russian clause: 'Не удалось создать папку /data'
 */
export function startErrorFrom(error: unknown, action: string): Error {
  if (!(error instanceof Error)) return new Error(String(error));
  const { code, message } = error as NodeJS.ErrnoException;
  if (error instanceof StartError || code === undefined) return error;
  return new StartError(databasePhrases.fileError(action, code, message), { cause: error, details: message });
}
