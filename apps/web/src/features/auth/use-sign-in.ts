import type { login } from '@propusk/contract/auth';
import { useRouter } from '@tanstack/react-router';
import type { Reply } from '../../api/call.ts';
import { token } from '../../api/token.ts';
import { type ContractForm, type FormSchema, showFailure } from '../../common/contract-form.ts';
import { paths } from '../../paths.ts';
import { passwordRequest } from './password-request.ts';
import { type Attempt, useAttempt } from './use-attempt.ts';

type SignedIn = Reply<typeof login>;

/**
 * Shared by login and registration: stores the token and opens the dashboard, where the gate picks the page by role.
 * @param landing asked once signed in: an address of this console to go on to, or null for where the role begins
 * @returns a function that takes the call to make; null for an answer: it was refused, and more is asked for
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
      passwordRequest.forget();
      // history.replace cannot leave the origin, whatever the address is.
      history.replace(landing() ?? paths.dashboard, undefined, { ignoreBlocker: true });
    });
  }

  return { attempt, signIn };
}
