import { createContext, useContext, useEffect, useRef } from 'react';
import { toastFailure } from '../ui/toast.ts';
import { messageOf } from './use-attempt.ts';

/** Deletes an entity that was created inside a dialog. */
type Undo = () => Promise<unknown>;

export const CreatedInside = createContext<(undo: Undo) => void>(() => {});

/** Returns a function that notes an entity which a field of the dialog has created. */
export const useNoteCreated = () => useContext(CreatedInside);

/**
 * The entities that were created from the fields of a dialog, such as a policy from a select. They are deleted when the dialog
 * closes without a save: by its button, by Back or by a link. A closed tab keeps them.
 */
export function useCreatedInside() {
  const undos = useRef<Undo[]>([]);
  useEffect(
    () => () => {
      for (const undo of undos.current.splice(0)) undo().catch((error) => toastFailure(messageOf(error)));
    },
    [],
  );
  return {
    add: (undo: Undo) => void undos.current.push(undo),
    /** Keeps the entities after a save. */
    keep: () => void undos.current.splice(0),
  };
}
