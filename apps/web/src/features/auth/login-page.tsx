import { Anchor } from '@mantine/core';
import type { Login as LoginSchema } from '@propusk/contract/auth';
import { Link, useLocation } from '@tanstack/react-router';
import { networkError } from '../../api/api-error.ts';
import { useJudgedForm } from '../../common/contract-form.ts';
import { PasswordField, TextField } from '../../common/fields.tsx';
import { t } from '../../dictionary/dictionary.ts';
import { paths } from '../../paths.ts';
import { returnTo } from '../../shell/session-return.ts';
import { AuthForm } from './auth-form.tsx';
import { DoneNotice } from './done-notice.tsx';
import { lateResolver } from './late-resolver.ts';
import classes from './login-page.module.css';
import { useSignIn } from './use-sign-in.ts';

// The contract comes with the first letter: it is a good tenth of the code, and the page that everybody waits for shows
// without it.
const contract = () => import('./login-call.ts');
const resolver = lateResolver(() => contract().then((module) => module.resolver));

/** /auth/login. */
export function LoginPage() {
  const form = useJudgedForm<typeof LoginSchema>(resolver, { email: '', password: '' });
  const { attempt, signIn } = useSignIn(form, returnTo.take);
  const done = useLocation({ select: ({ state }) => state.done });
  return (
    <AuthForm
      title={t.auth.loginTitle}
      hint={t.auth.loginHint}
      form={form}
      attempt={attempt}
      notice={done && <DoneNotice>{t.auth.done[done]}</DoneNotice>}
      onSubmit={form.handleSubmit((body) =>
        signIn(async () => {
          const { send } = await contract().catch(() => {
            throw networkError();
          });
          return send(body);
        }),
      )}
      submitLabel={t.auth.signIn}
      footer={
        <span className={classes.ways}>
          <span>
            {t.auth.noAccount}{' '}
            <Anchor component={Link} to={paths.register}>
              {t.auth.toRegister}
            </Anchor>
          </span>
          <Anchor component={Link} to={paths.reset}>
            {t.auth.forgot}
          </Anchor>
        </span>
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
