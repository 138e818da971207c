import type { login } from '@propusk/contract/auth';
import { useRouter } from '@tanstack/react-router';
import type { Reply } from '../../api/call.ts';
import { token } from '../../api/token.ts';
import { type ContractForm, type FormSchema, showFailure } from '../../forms/contract-form.ts';
import { type Attempt, useAttempt } from '../../forms/use-attempt.ts';
import { passwordRequest } from './password-request.ts';

type SignedIn = Reply<typeof login>;

/**
 * Shared by login and registration: stores the token and opens the dashboard, where the gate picks the page by role.
 * @param landing called after the sign-in; returns an address of this console, or null for the start page of the role
 * @returns `signIn(send)`, where `send` makes the call and resolves to null when the page must ask for a code
 */
export function useSignIn<S extends FormSchema>(
  form: ContractForm<S>,
  landing: () => string | null,
): { attempt: Attempt; signIn: (send: () => Promise<SignedIn | null>) => Promise<void> } {
  const { history } = useRouter();
  const attempt = useAttempt((error) => showFailure(form, error));

  function signIn(send: () => Promise<SignedIn | null>): Promise<void> {
    return attempt.run(async () => {
      const reply = await send();
      if (reply === null) return;
      token.store(reply.token);
      passwordRequest.clear();
      // history.replace cannot navigate to another origin, whatever address `landing` returns.
      history.replace(landing() ?? '/dashboard', undefined, { ignoreBlocker: true });
    });
  }

  return { attempt, signIn };
}
