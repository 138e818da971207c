import * as t from '@propusk/phrases/console';
import { type RegisteredRouter, useRouter } from '@tanstack/react-router';
import { useEffect } from 'react';
import { confirm } from '../ui/confirm.ts';

/** The forms with unsaved changes: each with the path of its page or dialog, and the warning shown before its input is lost. */
const changed = new Map<symbol, { path: string; hint: string }>();

let unblock = (): void => {};

/** Reads and clears the set of forms with unsaved changes. */
export const unsaved = {
  any: (): boolean => changed.size > 0,
  /** Sentences about the input that a navigation would discard; undefined if there is none. */
  loss: (): string | undefined => [...changed.values()].map(({ hint }) => hint).join(' ') || undefined,
  /** If there are unsaved changes, asks whether to discard them. @returns whether the page may be left */
  mayLeave: async (): Promise<boolean> =>
    changed.size === 0 ||
    confirm({
      text: t.input.leave,
      hint: unsaved.loss(),
      yes: t.common.close,
      no: t.input.stay,
      danger: true,
    }),
  /** Clears the set before a navigation that discards the input on purpose, such as a sign-out. */
  clear(): void {
    changed.clear();
    unblock();
  },
};

/** Asks whether to close a dialog and lose its input. */
export const mayDiscard = () =>
  confirm({ text: t.input.discard, yes: t.common.close, no: t.input.stay, danger: true });

/**
 * While a form has unsaved changes, asks before Back, a link or Reload discards them.
 * @param hint a sentence for the question about the loss
 */
export function useUnsaved(isChanged: boolean, hint: string = t.input.leaveHint): void {
  const router = useRouter();
  useEffect(() => {
    if (!isChanged) return;
    const form = Symbol('form');
    if (changed.size === 0) unblock = guard(router);
    changed.set(form, { path: window.location.pathname, hint });
    return () => {
      changed.delete(form);
      if (changed.size === 0) unblock();
    };
  }, [isChanged, hint, router]);
}

/** Asks before the router leaves the page. Before a reload or when the tab is closed, the browser shows its own question. */
function guard(router: RegisteredRouter): () => void {
  /** The position of the history entry that the user was on when the open question appeared. */
  let asked: number | undefined;
  return router.history.block({
    enableBeforeUnload: true,
    blockerFn: async ({ nextLocation: { pathname } }) => {
      if (asked !== undefined) {
        // The user pressed Back again during the question. The router undoes only the first Back, so undo this one.
        const steps = asked - entry();
        if (steps !== 0) window.history.go(steps);
        return new Promise<boolean>(() => {});
      }
      // The form of a page stays mounted while a dialog opens over the page, and while only the search or the hash changes.
      const kept = new Set(router.matchRoutes(pathname, {}).map((match) => match.pathname));
      if ([...changed.values()].every(({ path }) => kept.has(path))) return false;
      asked = entry();
      const leave = await unsaved.mayLeave();
      asked = undefined;
      return !leave;
    },
  });
}

/** The position of the current history entry, as the router numbers the entries. */
function entry(): number {
  return (window.history.state as { __TSR_index: number }).__TSR_index;
}
