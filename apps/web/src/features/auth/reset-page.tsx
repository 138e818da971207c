import { useLink as linkCall } from '@propusk/contract/auth';
import { Email } from '@propusk/contract/fields';
import * as t from '@propusk/phrases/console';
import { useNavigate } from '@tanstack/react-router';
import * as z from 'zod/mini';
import { call } from '../../api/call.ts';
import { showFailure, useResolverForm } from '../../forms/contract-form.ts';
import { EmailField } from '../../forms/fields.tsx';
import { useAttempt } from '../../forms/use-attempt.ts';
import { contractResolver } from '../../forms/use-contract-form.ts';
import { AuthForm } from './auth-form.tsx';
import { ToLogin } from './auth-page.tsx';
import { passwordRequest } from './password-request.ts';

const ResetForm = z.object({ email: Email });
// The page does not ask before Back discards its one field: the user must return to the login page in one step.
const resolver = contractResolver(ResetForm);

/** /auth/reset: requests a mail with a link that sets a new password. */
export function ResetPage() {
  const navigate = useNavigate();
  const form = useResolverForm<typeof ResetForm>(resolver, { email: passwordRequest.email() ?? '' });
  const attempt = useAttempt((error) => showFailure(form, error));

  const submit = form.handleSubmit(({ email }) =>
    attempt.run(async () => {
      await call(linkCall, { body: { email } });
      passwordRequest.note(email);
      await navigate({ to: '/security/check-email' });
    }),
  );

  return (
    <AuthForm
      title={t.reset.resetTitle}
      hint={t.reset.resetHint}
      form={form}
      attempt={attempt}
      onSubmit={submit}
      submitLabel={t.reset.sendRequest}
      footer={<ToLogin before={t.auth.remembered} />}
    >
      <EmailField control={form.control} label={t.auth.email} autoComplete="username" />
    </AuthForm>
  );
}
