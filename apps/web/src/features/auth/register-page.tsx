import { Anchor, Box, Button, Stack } from '@mantine/core';
import { Password, text } from '@propusk/contract/fields';
import { limits } from '@propusk/contract/limits';
import { openInvitation, Registration, register, registrationMode } from '@propusk/contract/registration';
import * as t from '@propusk/phrases/console';
import { Link } from '@tanstack/react-router';
import * as z from 'zod/mini';
import { ApiError } from '../../api/api-error.ts';
import { call } from '../../api/call.ts';
import { returnTo } from '../../entities/user/return-to.ts';
import { CheckboxField } from '../../forms/checkbox-field.tsx';
import { EmailField, PasswordField, TextField } from '../../forms/fields.tsx';
import { useContractForm } from '../../forms/use-contract-form.ts';
import { Questions } from '../../ui/questions.tsx';
import { Failed } from '../../ui/state.tsx';
import { AuthForm } from './auth-form.tsx';
import { AuthPage, ToLogin } from './auth-page.tsx';
import { type CompanyInvitation, readInvitation, useFragment } from './mail-link.ts';
import { useReply } from './use-reply.ts';
import { useSignIn } from './use-sign-in.ts';

// The call has no repeated password and no consent, and its owner's name is optional; the form requires all three.
const RegistrationForm = z.extend(z.omit(Registration, { name: true, invitation: true }), {
  ownerName: text(limits.personName),
  repeat: Password,
  agree: z.literal(true, { error: t.registration.mustAgree }),
});

const fields = Object.keys(RegistrationForm.shape);

/** /auth/register. While the platform accepts no registrations, the page shows a message instead of the form. */
export function RegisterPage() {
  const invited = useFragment(readInvitation);
  const { reply, error, retry } = useReply((signal) => call(registrationMode, {}, signal));
  // After a timeout the user can retry. After any other failure the form is shown, and the server decides.
  const mode = reply?.mode ?? (error instanceof ApiError && error.code !== 'timeout' ? 'open' : null);
  if (mode === null) {
    return (
      <AuthPage
        title={t.registration.registerTitle}
        hint={t.registration.registerHint}
        footer={<ToLogin before={t.registration.haveAccount} />}
      >
        {error ? (
          <Failed query={{ error, isFetching: false, refetch: retry }} />
        ) : (
          <Stack gap="xl" aria-hidden>
            {fields.map((name) => (
              <Box key={name} h={36} bdrs="sm" bg="var(--line)" />
            ))}
          </Stack>
        )}
      </AuthPage>
    );
  }
  if (mode === 'open' || (mode === 'invited' && invited !== null)) {
    return invited === null ? (
      <RegisterForm invited={null} />
    ) : (
      <Invited key={invited.invitation} invited={invited} />
    );
  }
  return <RegistrationClosed byInvitation={mode === 'invited'} />;
}

/** Reads the state of the invitation first, so that the page reports a dead link before it shows a form. */
function Invited({ invited }: { invited: CompanyInvitation }) {
  const { reply, error } = useReply((signal) =>
    call(openInvitation, { body: { token: invited.invitation } }, signal),
  );
  const isUnknown = error instanceof ApiError && error.code === 'invitation_dead';
  const state = isUnknown ? 'unknown' : reply?.state;
  // When the state cannot be read, the form is shown, and the server decides.
  if (state === 'waiting' || (error && !isUnknown)) return <RegisterForm invited={invited} />;
  return (
    <AuthPage
      title={state ? t.deadInvitation.title : t.registration.registerTitle}
      hint={state ? t.deadInvitation.hints[state] : t.mailLink.opening}
      footer={<ToLogin before={t.registration.haveAccount} />}
    >
      <Box h={state ? 0 : 200} />
    </AuthPage>
  );
}

/** The registration form. @param props.invited the invitation, whose email address the user cannot change */
function RegisterForm({ invited }: { invited: CompanyInvitation | null }) {
  const form = useContractForm(RegistrationForm, {
    ownerName: '',
    companyName: '',
    companySite: '',
    email: invited?.email ?? '',
    password: '',
    repeat: '',
  });
  const { control } = form;
  // A page stored before the registration belongs to another account: do not return to it.
  const { attempt, signIn } = useSignIn(form, () => {
    returnTo.store(null);
    return null;
  });

  const submit = form.handleSubmit(({ repeat, ownerName, companyName, companySite, email, password }) => {
    if (repeat !== password) {
      form.setError('repeat', { message: t.form.differ });
      return attempt.fail(t.auth.mismatch);
    }
    // The field `name` of the call is the company's name (spec section 5).
    const account = { name: companyName, ownerName, companyName, companySite, email, password };
    const body = invited === null ? account : { ...account, invitation: invited.invitation };
    return signIn(() => call(register, { body }));
  });

  return (
    <AuthForm
      title={t.registration.registerTitle}
      hint={t.registration.registerHint}
      form={form}
      attempt={attempt}
      onSubmit={submit}
      submitLabel={t.registration.register}
      footer={<ToLogin before={t.registration.haveAccount} />}
    >
      <TextField control={control} name="ownerName" label={t.registration.name} autoComplete="name" />
      <TextField
        control={control}
        name="companyName"
        label={t.registration.companyName}
        autoComplete="organization"
      />
      <TextField
        control={control}
        name="companySite"
        label={t.registration.companySite}
        autoComplete="url"
        placeholder="company.ru"
      />
      <EmailField
        control={control}
        label={t.auth.email}
        autoComplete="username"
        readOnly={invited !== null}
        {...(invited !== null && { description: t.registration.invitedEmail })}
      />
      <PasswordField control={control} name="password" label={t.auth.password} autoComplete="new-password" />
      <PasswordField control={control} name="repeat" label={t.auth.repeat} autoComplete="new-password" />
      <div>
        <CheckboxField control={control} name="agree" label={t.registration.agree} />
        <Anchor href="/auth/rules" target="_blank" rel="noopener" size="sm" ml={32}>
          {t.registration.rules}
        </Anchor>
      </div>
      <Questions />
    </AuthForm>
  );
}

/** Shown instead of the registration form when the server would refuse it. Says whom to ask. */
function RegistrationClosed({ byInvitation }: { byInvitation: boolean }) {
  return (
    <AuthPage
      title={t.registration.closedTitle}
      hint={byInvitation ? t.registration.closedToStrangers : t.registration.closedToAll}
      footer={t.registration.closedColleague}
    >
      <Button size="md" fullWidth component={Link} to="/auth/login">
        {t.auth.signIn}
      </Button>
    </AuthPage>
  );
}
