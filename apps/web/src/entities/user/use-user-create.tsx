import * as t from '@propusk/phrases/console';
import { type ReactNode, useState } from 'react';
import type { InlineCreate } from '../../forms/select-fields.tsx';
import { lazyDialog } from '../../ui/lazy.tsx';

const CreateUserDialog = lazyDialog(() => import('./create-user-dialog.tsx'), 'CreateUserDialog');

/**
 * Creates a user from a policy's select of users. A user needs an email address and a password, so a second dialog opens
 * above the policy's. Render `dialog` outside the policy's form: React events bubble through portals, and the submit
 * event of the dialog would submit the policy's form too.
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
        // Reports that no user was created. After a create the promise has already resolved, so this does nothing.
        asked.answer(null);
        setAsked(null);
      }}
    />
  );
  return { create, dialog, isOpen: asked !== null };
}
