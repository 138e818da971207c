import * as t from '@propusk/phrases/console';
import { useRef, useState } from 'react';
import { ApiError } from '../../api/api-error.ts';

/**
 * One submission on an auth page, and the message of its last failure. It lives with the page: entering any auth
 * route starts without an error (spec section 2).
 */
export interface Attempt {
  readonly failure: string | null;
  readonly busy: boolean;
  fail(sentence: string): void;
  /** Runs the work unless it is already running. */
  run(work: () => Promise<void>): Promise<void>;
}

/** @param sentence returns the text of the alert, when it is not the server's message */
export function useAttempt(sentence: (error: unknown) => string = messageOf): Attempt {
  const [failure, setFailure] = useState<string | null>(null);
  const [busy, setBusy] = useState(false);
  // A ref, since both clicks of a double click see the same render's state.
  const pending = useRef(false);

  async function run(work: () => Promise<void>): Promise<void> {
    if (pending.current) return;
    pending.current = true;
    setBusy(true);
    setFailure(null);
    try {
      await work();
    } catch (error) {
      setFailure(sentence(error));
    } finally {
      pending.current = false;
      setBusy(false);
    }
  }

  return { failure, busy, fail: setFailure, run };
}

function messageOf(error: unknown): string {
  return error instanceof ApiError ? error.message : t.failures.unexpected;
}
