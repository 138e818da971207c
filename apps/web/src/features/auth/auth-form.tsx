import { Button, Stack } from '@mantine/core';
import { type FormEventHandler, type ReactNode, useEffect, useRef } from 'react';
import type { ContractForm, FormSchema } from '../../common/contract-form.ts';
import { Notice } from '../../ui/notice.tsx';
import { AuthPage } from './auth-page.tsx';
import type { Attempt } from './use-attempt.ts';

/** A page of the auth area that is a form: the failure, the fields, the button. The first field has the focus. */
export function AuthForm<S extends FormSchema>(props: {
  title: string;
  hint: string;
  form: ContractForm<S>;
  attempt: Attempt;
  onSubmit: FormEventHandler;
  submitLabel: string;
  /** What stands above the fields while nothing has failed. */
  notice?: ReactNode;
  children: ReactNode;
  footer: ReactNode;
}) {
  const { isValid } = props.form.formState;
  const { failure, busy } = props.attempt;
  const element = useRef<HTMLFormElement>(null);
  // A field that was filled in and emptied again holds what it began with, and yet somebody has typed.
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
        // Nobody has typed anything yet, and it was we who put the focus there: a complaint on the way out would push
        // the link that is being clicked from under the mouse.
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
