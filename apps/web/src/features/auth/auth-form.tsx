import { Button } from '@mantine/core';
import type { FormEventHandler, ReactNode } from 'react';
import type { ContractForm, FormSchema } from '../../forms/contract-form.ts';
import { FocusedForm } from '../../forms/focused-form.tsx';
import type { Attempt } from '../../forms/use-attempt.ts';
import { Notice } from '../../ui/notice.tsx';
import { AuthPage } from './auth-page.tsx';

/** A page of the auth area with a form: the failure, the fields and the submit button. The first field has the focus. */
export function AuthForm<S extends FormSchema>(props: {
  title: string;
  hint: string;
  form: ContractForm<S>;
  attempt: Attempt;
  onSubmit: FormEventHandler;
  submitLabel: string;
  /** Shown above the fields while there is no failure. */
  notice?: ReactNode;
  children: ReactNode;
  footer: ReactNode;
}) {
  const { isValid } = props.form.formState;
  const { failure, busy } = props.attempt;
  return (
    <AuthPage title={props.title} hint={props.hint} footer={props.footer}>
      <FocusedForm onSubmit={props.onSubmit}>
        {failure ? <Notice kind="warning">{failure}</Notice> : props.notice}
        {props.children}
        <Button type="submit" size="md" mt="xs" fullWidth disabled={!isValid} loading={busy}>
          {props.submitLabel}
        </Button>
      </FocusedForm>
    </AuthPage>
  );
}
