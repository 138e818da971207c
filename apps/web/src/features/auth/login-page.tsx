import { Anchor } from '@mantine/core';
import type { Login, Login as LoginSchema } from '@propusk/contract/auth';
import * as t from '@propusk/phrases/console';
import { Link, useLocation } from '@tanstack/react-router';
import { type ComponentType, useEffect, useState } from 'react';
import { ApiError, networkError } from '../../api/api-error.ts';
import { loginNote, takeReturn } from '../../entities/user/return-to.ts';
import { useResolverForm } from '../../forms/contract-form.ts';
import { EmailField, PasswordField } from '../../forms/fields.tsx';
import { onboarded } from '../../state.ts';
import { Notice } from '../../ui/notice.tsx';
import { AuthForm } from './auth-form.tsx';
import type { CodeStepProps } from './code-step.tsx';
import { lazyResolver } from './lazy-resolver.ts';
import classes from './login-page.module.css';
import { useSignIn } from './use-sign-in.ts';

// Loaded with the first typed character (lazy-resolver.ts), so that the page opens without zod and the contract.
const contract = () => import('./login-call.ts');
const resolver = lazyResolver(
  () => contract().then((module) => module.resolver),
  // The validation rules of spec section 5.
  ({ email, password }: Login) =>
    /^[\w.%+-]+@[a-z\d.-]+\.[a-z]{1,20}$/i.test(email.trim()) && password.length >= 8,
);

function unreached(): never {
  throw networkError();
}

/** /auth/login. A user with a second factor gets a second step, which keeps the typed email and password. */
export function LoginPage() {
  const form = useResolverForm<typeof LoginSchema>(resolver, { email: '', password: '' });
  const { attempt, signIn } = useSignIn(form, takeReturn);
  const done = useLocation({ select: ({ state }) => state.done });
  const [note] = useState(loginNote.take);
  const registers = useOpenRegistration();
  const [CodeStep, setCodeStep] = useState<ComponentType<CodeStepProps> | null>(null);

  const send = async (body: Login) => {
    const module = await contract().catch(unreached);
    try {
      return await module.send(body);
    } catch (error) {
      if (!(error instanceof ApiError && error.code === 'second_factor_needed')) throw error;
      const step = await import('./code-step.tsx').catch(unreached);
      setCodeStep(() => step.CodeStep);
      return null;
    }
  };

  if (CodeStep !== null) {
    const { email, password } = form.getValues();
    return <CodeStep send={(code) => send({ email, password, code })} onBack={() => setCodeStep(null)} />;
  }
  return (
    <AuthForm
      title={t.auth.loginTitle}
      hint={note === 'ended' ? t.auth.endedHint : onboarded.read() ? t.auth.loginHint : t.auth.firstHint}
      form={form}
      attempt={attempt}
      notice={
        done ? (
          <Notice kind="success">{t.auth.done[done]}</Notice>
        ) : (
          note === 'unconfirmed' && <Notice kind="warning">{t.auth.unconfirmedExit}</Notice>
        )
      }
      onSubmit={form.handleSubmit((body) => signIn(() => send(body)))}
      submitLabel={t.auth.signIn}
      footer={
        <span className={classes.ways}>
          <Anchor component={Link} to="/auth/reset">
            {t.auth.forgot}
          </Anchor>
          {registers && (
            <span>
              {t.auth.noAccount}{' '}
              <Anchor component={Link} to="/auth/register">
                {t.auth.toRegister}
              </Anchor>
            </span>
          )}
        </span>
      }
    >
      <EmailField control={form.control} label={t.auth.email} autoComplete="username" />
      <PasswordField
        control={form.control}
        name="password"
        label={t.auth.password}
        autoComplete="current-password"
      />
    </AuthForm>
  );
}

/** Whether strangers may register: false before the reply. Fetches without the contract, which would make the page heavier. */
function useOpenRegistration(): boolean {
  const [isOpen, setOpen] = useState(false);
  useEffect(() => {
    fetch('/api/auth/registration')
      .then((reply) => reply.json())
      .then(
        ({ mode }) => setOpen(mode === 'open'),
        () => {},
      );
  }, []);
  return isOpen;
}
