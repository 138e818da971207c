import { useLink as linkCall, login } from '@propusk/contract/auth';
import { Password } from '@propusk/contract/fields';
import type { LinkAccount } from '@propusk/contract/invitations';
import { limits } from '@propusk/contract/limits';
import * as t from '@propusk/phrases/console';
import * as z from 'zod/mini';
import { call } from '../../api/call.ts';
import { token } from '../../api/token.ts';
import { showFailure } from '../../common/contract-form.ts';
import { PasswordField } from '../../common/fields.tsx';
import { useAttempt } from '../../common/use-attempt.ts';
import { useContractForm } from '../../common/use-contract-form.ts';
import { Notice } from '../../ui/notice.tsx';
import { Questions } from '../../ui/questions.tsx';
import { AuthForm } from './auth-form.tsx';
import { ToLogin } from './auth-page.tsx';

const NewPasswordForm = z.object({ password: Password, repeat: Password });

/** Makes a link's call, signs the user in if asked to, and navigates by the outcome. */
export type UseLink = (
  send: () => Promise<unknown>,
  signIn?: () => Promise<{ token: string }>,
) => Promise<void>;

/** The form for a new password that a mail link opens. An invited user is signed in with it at once. */
export function NewPassword(props: { token: string; account: LinkAccount; use: UseLink }) {
  const { email, invitedBy } = props.account;
  const form = useContractForm(NewPasswordForm, { password: '', repeat: '' });
  const attempt = useAttempt((error) => showFailure(form, error));

  const submit = form.handleSubmit(({ password, repeat }) => {
    if (password !== repeat) return attempt.fail(t.auth.mismatch);
    const signIn = () => call(login, { body: { email, password } });
    return attempt.run(() =>
      props.use(
        () => call(linkCall, { body: { token: props.token, password } }),
        invitedBy === null ? undefined : signIn,
      ),
    );
  });

  return (
    <AuthForm
      title={invitedBy === null ? t.mailLink.newPasswordTitle : t.mailLink.welcomeTitle}
      hint={invitedBy === null ? t.mailLink.newPasswordHint : t.mailLink.welcomeHint(invitedBy, email)}
      form={form}
      attempt={attempt}
      onSubmit={submit}
      submitLabel={invitedBy === null ? t.mailLink.savePassword : t.mailLink.enter}
      footer={<ToLogin />}
      notice={token.read() !== null && <Notice kind="warning">{t.mailLink.replacesSession(email)}</Notice>}
    >
      {/* Tells password managers the account. */}
      <input hidden readOnly type="email" name="email" autoComplete="username" value={email} />
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
