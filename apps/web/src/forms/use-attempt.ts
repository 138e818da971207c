import * as t from '@propusk/phrases/console';
import { useRef, useState } from 'react';
import { ApiError } from '../api/api-error.ts';

/** Runs the submissions of one form or button one at a time, and holds the failure of the last one. */
export interface Attempt {
  readonly failure: string | null;
  /** The code of the failure, when the server refused. */
  readonly code: ApiError['code'] | undefined;
  readonly busy: boolean;
  fail(sentence: string | null): void;
  /** Runs the work unless it is already running. */
  run(work: () => Promise<unknown>): Promise<void>;
}

/** @param sentence returns the text of the alert, when it is not the server's message */
export function useAttempt(sentence: (error: unknown) => string = messageOf): Attempt {
  const [failure, setFailure] = useState<string | null>(null);
  const [code, setCode] = useState<ApiError['code']>();
  const [busy, setBusy] = useState(false);
  // A ref and not state: both clicks of a double click happen in one render and would see the same state.
  const pending = useRef(false);

  async function run(work: () => Promise<unknown>): Promise<void> {
    if (pending.current) return;
    pending.current = true;
    setBusy(true);
    setFailure(null);
    try {
      await work();
    } catch (error) {
      setFailure(sentence(error));
      setCode(error instanceof ApiError ? error.code : undefined);
    } finally {
      pending.current = false;
      setBusy(false);
    }
  }

  return { failure, code, busy, fail: setFailure, run };
}

/** The message of a failed call. */
export function messageOf(error: unknown): string {
  return error instanceof ApiError ? error.message : t.failures.unexpected;
}
