import * as t from '@propusk/phrases/console';
import { type ReactNode, useState } from 'react';
import { lazyDialog } from '../ui/lazy.tsx';
import type { InlineCreate } from './select-fields.tsx';

const CreateUserDialog = lazyDialog(() => import('./create-user-dialog.tsx'), 'CreateUserDialog');

/**
 * Creates a user from a select of people: their dialog opens above the policy's, since a user needs an address and a
 * password. The dialog belongs outside the policy's form, which would take its submit event for its own.
 */
export function useUserCreate(): { create: InlineCreate; dialog: ReactNode; isOpen: boolean } {
  const [asked, setAsked] = useState<{ typed: string; answer: (id: number | null) => void } | null>(null);
  const create: InlineCreate = {
    label: t.users.createNamed,
    run: (typed) => new Promise((answer) => setAsked({ typed, answer })),
  };
  const dialog = asked && (
    <CreateUserDialog
      typed={asked.typed}
      onCreated={asked.answer}
      onClose={() => {
        // Without a new user; after one this changes nothing.
        asked.answer(null);
        setAsked(null);
      }}
    />
  );
  return { create, dialog, isOpen: asked !== null };
}
