import { useLink as linkCall } from '@propusk/contract/auth';
import { Password } from '@propusk/contract/fields';
import { limits } from '@propusk/contract/limits';
import * as t from '@propusk/phrases/console';
import * as z from 'zod/mini';
import { call } from '../../api/call.ts';
import { showFailure } from '../../common/contract-form.ts';
import { PasswordField } from '../../common/fields.tsx';
import { useAttempt } from '../../common/use-attempt.ts';
import { useContractForm } from '../../common/use-contract-form.ts';
import { Questions } from '../../ui/questions.tsx';
import { AuthForm } from './auth-form.tsx';
import { ToLogin } from './auth-page.tsx';
import { passwordRequest } from './password-request.ts';

const NewPasswordForm = z.object({ password: Password, repeat: Password });

/** The form for a new password that a mail link opens. */
export function NewPassword(props: {
  token: string;
  /** Makes the call and navigates by its outcome. */
  use: (send: () => Promise<unknown>) => Promise<void>;
}) {
  const form = useContractForm(NewPasswordForm, { password: '', repeat: '' });
  const attempt = useAttempt((error) => showFailure(form, error));

  const submit = form.handleSubmit(({ password, repeat }) => {
    if (password !== repeat) return attempt.fail(t.auth.mismatch);
    return attempt.run(() => props.use(() => call(linkCall, { body: { token: props.token, password } })));
  });

  return (
    <AuthForm
      title={t.mailLink.newPasswordTitle}
      hint={t.mailLink.newPasswordHint}
      form={form}
      attempt={attempt}
      onSubmit={submit}
      submitLabel={t.mailLink.savePassword}
      footer={<ToLogin />}
    >
      {/* Tells password managers the account, if its user requested the link in this browser. */}
      <input
        hidden
        readOnly
        type="email"
        name="email"
        autoComplete="username"
        value={passwordRequest.email() ?? ''}
      />
      <PasswordField
        control={form.control}
        name="password"
        label={t.mailLink.newPassword}
        description={t.mailLink.newPasswordRule(limits.password.min)}
        autoComplete="new-password"
      />
      <PasswordField control={form.control} name="repeat" label={t.auth.repeat} autoComplete="new-password" />
      <Questions />
    </AuthForm>
  );
}
