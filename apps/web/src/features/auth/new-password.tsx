import { useLink as linkCall, login } from '@propusk/contract/auth';
import { Email, Password, text } from '@propusk/contract/fields';
import type { LinkAccount } from '@propusk/contract/invitations';
import { limits } from '@propusk/contract/limits';
import * as t from '@propusk/phrases/console';
import * as z from 'zod/mini';
import { call } from '../../api/call.ts';
import { token } from '../../api/token.ts';
import { showFailure } from '../../forms/contract-form.ts';
import { EmailField, PasswordField, TextField } from '../../forms/fields.tsx';
import { useAttempt } from '../../forms/use-attempt.ts';
import { useContractForm } from '../../forms/use-contract-form.ts';
import { Notice } from '../../ui/notice.tsx';
import { Questions } from '../../ui/questions.tsx';
import { AuthForm } from './auth-form.tsx';
import { ToLogin } from './auth-page.tsx';

/** The fields `name` and `surname` are shown only to an invited user, who must fill in `name`. */
const NewPasswordForm = z.object({
  ...{ email: Email, password: Password, repeat: Password },
  name: z.optional(text(1)),
  surname: z.optional(text(0)),
});

/**
 * Sends the call of a mail link, signs the user in if `signIn` is given, and navigates by the result.
 * @param leadsToExtension whether to open the page of the extension after the sign-in instead of the dashboard
 */
export type UseLink = (
  send: () => Promise<unknown>,
  signIn?: () => Promise<{ token: string }>,
  leadsToExtension?: boolean,
) => Promise<void>;

/** The form, opened from a mailed link, that sets a new password. Saving also signs in an invited user and the first ADMIN. */
export function NewPassword(props: { token: string; account: LinkAccount; use: UseLink }) {
  const { email, invitedBy, firstAdmin } = props.account;
  const texts =
    invitedBy === null
      ? firstAdmin
        ? { title: t.mailLink.adminTitle, hint: t.mailLink.adminHint }
        : { title: t.mailLink.newPasswordTitle, hint: t.mailLink.newPasswordHint }
      : { title: t.mailLink.welcomeTitle, hint: t.mailLink.welcomeHint(invitedBy, email) };
  const joins = invitedBy !== null || firstAdmin;
  const names = invitedBy === null ? {} : { name: props.account.name, surname: props.account.surname };
  const form = useContractForm(NewPasswordForm, { email, ...names, password: '', repeat: '' });
  const { control } = form;
  const attempt = useAttempt((error) => showFailure(form, error));

  const submit = form.handleSubmit(({ email: typed, password, repeat, name, surname }) => {
    if (password !== repeat) {
      form.setError('repeat', { message: t.form.differ });
      return attempt.fail(t.auth.mismatch);
    }
    const body = { token: props.token, password, name, surname, ...(firstAdmin && { email: typed }) };
    const signIn = () => call(login, { body: { email: typed, password } });
    // An invited agent opens no site without the extension.
    return attempt.run(() =>
      props.use(() => call(linkCall, { body }), joins ? signIn : undefined, invitedBy !== null),
    );
  });

  return (
    <AuthForm
      {...texts}
      form={form}
      attempt={attempt}
      onSubmit={submit}
      submitLabel={joins ? t.mailLink.enter : t.mailLink.savePassword}
      footer={<ToLogin />}
      notice={token.read() !== null && <Notice kind="warning">{t.mailLink.replacesSession(email)}</Notice>}
    >
      {firstAdmin ? (
        <EmailField control={control} label={t.auth.email} autoComplete="username" />
      ) : (
        // Tells password managers the account.
        <input hidden readOnly type="email" name="email" autoComplete="username" value={email} />
      )}
      {invitedBy !== null && (
        <>
          <TextField
            control={control}
            name="name"
            label={t.mailLink.name}
            autoComplete="given-name"
            required
          />
          <TextField control={control} name="surname" label={t.mailLink.surname} autoComplete="family-name" />
        </>
      )}
      <PasswordField
        control={control}
        name="password"
        label={t.mailLink.newPassword}
        description={t.mailLink.newPasswordRule(limits.password.min)}
        autoComplete="new-password"
      />
      <PasswordField control={control} name="repeat" label={t.auth.repeat} autoComplete="new-password" />
      <Questions />
    </AuthForm>
  );
}
