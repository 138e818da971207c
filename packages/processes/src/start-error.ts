import { databasePhrases } from '@propusk/phrases/launcher';

/** A failed start. Its message is one line that tells the operator what is wrong and what to do. The supervisor prints it and exits. */
export class StartError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message.replaceAll(/\s*\n\s*/g, ' '), options);
    this.name = 'StartError';
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
  return new StartError(databasePhrases.fileError(action, code, message), { cause: error });
}
