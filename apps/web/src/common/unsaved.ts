import * as t from '@propusk/phrases/console';
import { type RouterHistory, useRouter } from '@tanstack/react-router';
import { useEffect } from 'react';
import { confirm } from '../ui/confirm.ts';

/** The open forms with unsaved changes. */
const changed = new Set<symbol>();

let unblock = (): void => {};

/** Typed input that a page must not lose. */
export const unsaved = {
  any: (): boolean => changed.size > 0,
  /** Forgets all of it before a navigation that discards it on purpose, such as a sign-out. */
  drop(): void {
    changed.clear();
    unblock();
  },
};

/** Guards a form's input against Back, links and Reload while it is changed. `useContractForm` calls it. */
export function useUnsaved(isChanged: boolean): void {
  const { history } = useRouter();
  useEffect(() => {
    if (!isChanged) return;
    const form = Symbol('form');
    if (changed.size === 0) unblock = guard(history);
    changed.add(form);
    return () => {
      changed.delete(form);
      if (changed.size === 0) unblock();
    };
  }, [isChanged, history]);
}

/** Asks before any navigation to another page; the browser asks before it unloads this one. */
function guard(history: RouterHistory): () => void {
  /** The history entry that the open question is about. */
  let asked: number | undefined;
  return history.block({
    enableBeforeUnload: true,
    blockerFn: async ({ currentLocation, nextLocation }) => {
      if (asked !== undefined) {
        // A second Back under the question is undone and stays unanswered: the router itself undoes only the first.
        const steps = asked - entry();
        if (steps !== 0) window.history.go(steps);
        return new Promise<boolean>(() => {});
      }
      // The form stays mounted while only the search or the hash changes.
      if (nextLocation.pathname === currentLocation.pathname) return false;
      asked = entry();
      const leave = await confirm({
        text: t.input.leave,
        hint: t.input.leaveHint,
        yes: t.input.leaveYes,
        no: t.input.leaveNo,
        danger: true,
      });
      asked = undefined;
      return !leave;
    },
  });
}

/** The position of the current history entry, as the router numbers them. */
function entry(): number {
  return (window.history.state as { __TSR_index: number }).__TSR_index;
}
