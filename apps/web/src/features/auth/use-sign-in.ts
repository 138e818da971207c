import type { login } from '@propusk/contract/auth';
import { useNavigate } from '@tanstack/react-router';
import { useRef, useState } from 'react';
import type { Reply } from '../../api/call.ts';
import { token } from '../../api/token.ts';
import { type ContractForm, type FormSchema, showFailure } from '../../common/use-contract-form.ts';
import { paths } from '../../paths.ts';

type SignedIn = Reply<typeof login>;

/**
 * What login and registration share: the token is stored, and the dashboard opens, where the gate finds the page of the
 * role.
 * @returns a function that takes the call to make, and the sentence of the last failure
 */
export function useSignIn<S extends FormSchema>(form: ContractForm<S>) {
  const navigate = useNavigate();
  const [failure, setFailure] = useState<string | null>(null);
  // State comes too late for a double click.
  const pending = useRef(false);

  async function signIn(send: () => Promise<SignedIn>): Promise<void> {
    if (pending.current) return;
    pending.current = true;
    setFailure(null);
    try {
      const reply = await send();
      token.store(reply.token);
      await navigate({ to: paths.dashboard, replace: true });
    } catch (error) {
      setFailure(showFailure(form, error));
    } finally {
      pending.current = false;
    }
  }

  return { failure, setFailure, signIn };
}
