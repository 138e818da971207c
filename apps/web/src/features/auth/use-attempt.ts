import * as t from '@propusk/phrases/console';
import { useRef, useState } from 'react';
import { ApiError } from '../../api/api-error.ts';

/**
 * One thing that a person tries on a page of the auth area, and the sentence of its last failure. It lives with the
 * page: entering any auth route begins without an error (spec section 2).
 */
export interface Attempt {
  readonly failure: string | null;
  readonly busy: boolean;
  fail(sentence: string): void;
  /** Does the work, unless it is under way. */
  run(work: () => Promise<void>): Promise<void>;
}

/** @param sentence what the alert says of a failure, when it is not the server's message alone */
export function useAttempt(sentence: (error: unknown) => string = messageOf): Attempt {
  const [failure, setFailure] = useState<string | null>(null);
  const [busy, setBusy] = useState(false);
  // State comes too late for a double click.
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
