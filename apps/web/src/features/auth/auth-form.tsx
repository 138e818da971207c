import { Button, Stack } from '@mantine/core';
import { type FormEventHandler, type ReactNode, useEffect, useRef } from 'react';
import type { ContractForm, FormSchema } from '../../common/contract-form.ts';
import { Notice } from '../../ui/notice.tsx';
import { AuthPage } from './auth-page.tsx';
import type { Attempt } from './use-attempt.ts';

/** A form page of the auth area: failure, fields, button. The first field has the focus. */
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
  const element = useRef<HTMLFormElement>(null);
  // A ref and not the values: a field that was filled and emptied again is empty, yet the user has typed.
  const typed = useRef(false);
  useEffect(() => {
    element.current?.querySelector<HTMLInputElement>('input:not([hidden])')?.focus();
  }, []);
  return (
    <AuthPage title={props.title} hint={props.hint} footer={props.footer}>
      <form
        ref={element}
        onSubmit={props.onSubmit}
        onInputCapture={() => {
          typed.current = true;
        }}
        // The page set the focus itself. An error shown on this blur would move the link under the mouse while it is
        // clicked.
        onBlurCapture={(event) => {
          if (!typed.current) event.stopPropagation();
        }}
        noValidate
      >
        <Stack gap="md">
          {failure ? <Notice kind="warning">{failure}</Notice> : props.notice}
          {props.children}
          <Button type="submit" size="md" mt="xs" fullWidth disabled={!isValid} loading={busy}>
            {props.submitLabel}
          </Button>
        </Stack>
      </form>
    </AuthPage>
  );
}
