import { Anchor } from '@mantine/core';
import type { Token } from '@propusk/contract/auth';
import type { FactorConfirmation } from '@propusk/contract/fields';
import * as t from '@propusk/phrases/console';
import type * as z from 'zod/mini';
import { takeReturn } from '../../entities/user/return-to.ts';
import { useResolverForm } from '../../forms/contract-form.ts';
import { TextField } from '../../forms/fields.tsx';
import { AuthForm } from './auth-form.tsx';
import { lazyResolver } from './lazy-resolver.ts';
import classes from './login-page.module.css';
import { useSignIn } from './use-sign-in.ts';

const resolver = lazyResolver(() => import('./login-call.ts').then((module) => module.codeResolver));

/** Props of the login page's second step. */
export interface CodeStepProps {
  /** Signs in with the typed email and password and this code. */
  send: (code: string) => Promise<z.infer<typeof Token> | null>;
  onBack: () => void;
}

/** The second step of the login page, which asks for the code of the second factor. */
export function CodeStep({ send, onBack }: CodeStepProps) {
  const form = useResolverForm<typeof FactorConfirmation>(resolver, { code: '' });
  const { attempt, signIn } = useSignIn(form, takeReturn);
  return (
    <AuthForm
      title={t.signInCode.title}
      hint={t.signInCode.hint}
      form={form}
      attempt={attempt}
      onSubmit={form.handleSubmit(({ code }) => signIn(() => send(code)))}
      submitLabel={t.auth.signIn}
      footer={
        <span className={classes.ways}>
          <span>{t.signInCode.lost}</span>
          <Anchor component="button" type="button" onClick={onBack}>
            {t.signInCode.back}
          </Anchor>
        </span>
      }
    >
      <TextField control={form.control} name="code" label={t.signInCode.code} autoComplete="one-time-code" />
    </AuthForm>
  );
}
