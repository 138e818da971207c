import { Anchor } from '@mantine/core';
import { Login, login } from '@propusk/contract/auth';
import { Link } from '@tanstack/react-router';
import { call } from '../../api/call.ts';
import { PasswordField, TextField } from '../../common/fields.tsx';
import { useContractForm } from '../../common/use-contract-form.ts';
import { t } from '../../dictionary/dictionary.ts';
import { paths } from '../../paths.ts';
import { AuthForm } from './auth-form.tsx';
import { useSignIn } from './use-sign-in.ts';

/** /auth/login. */
export function LoginPage() {
  const form = useContractForm(Login, { email: '', password: '' });
  const { failure, signIn } = useSignIn(form);
  const { isValid, isSubmitting } = form.formState;
  return (
    <AuthForm
      title={t.auth.loginTitle}
      hint={t.auth.loginHint}
      failure={failure}
      onSubmit={form.handleSubmit((body) => signIn(() => call(login, { body })))}
      submitLabel={t.auth.signIn}
      pending={isSubmitting}
      disabled={!isValid}
      footer={
        <>
          {t.auth.noAccount}{' '}
          <Anchor component={Link} to={paths.register}>
            {t.auth.toRegister}
          </Anchor>
        </>
      }
    >
      <TextField
        control={form.control}
        name="email"
        type="email"
        label={t.auth.email}
        autoComplete="username"
        placeholder="name@company.ru"
      />
      <PasswordField
        control={form.control}
        name="password"
        label={t.auth.password}
        autoComplete="current-password"
      />
    </AuthForm>
  );
}
