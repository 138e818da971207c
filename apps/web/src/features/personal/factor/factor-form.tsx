import { Button, Group, Stack } from '@mantine/core';
import * as t from '@propusk/phrases/console';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import type { Control, DefaultValues } from 'react-hook-form';
import type * as z from 'zod/mini';
import { type FormSchema, showFailure } from '../../../common/contract-form.ts';
import { useMe } from '../../../common/me.tsx';
import { useContractForm } from '../../../common/use-contract-form.ts';
import { Notice } from '../../../ui/notice.tsx';

/** A form step of the second factor. Its first field has the focus, and a failure keeps the input. */
export function FactorForm<S extends FormSchema>(props: {
  schema: S;
  initial: DefaultValues<z.input<S>>;
  send: (body: z.output<S>) => Promise<void>;
  submitLabel: string;
  danger?: boolean;
  onCancel?: (() => void) | undefined;
  children: (control: Control<z.input<S>, unknown, z.output<S>>) => ReactNode;
}) {
  const form = useContractForm(props.schema, props.initial);
  const { isValid, isSubmitting } = form.formState;
  const { email } = useMe();
  const [failure, setFailure] = useState<string | null>(null);
  // A ref, since both clicks of a double click see the same render's state.
  const sending = useRef(false);
  const element = useRef<HTMLFormElement>(null);
  const typed = useRef(false);
  useEffect(() => {
    // Keeps the content above the field, such as a QR code, in view.
    element.current?.querySelector<HTMLInputElement>('input:not([hidden])')?.focus({ preventScroll: true });
  }, []);

  async function send(body: z.output<S>) {
    if (sending.current) return;
    sending.current = true;
    setFailure(null);
    try {
      await props.send(body);
    } catch (error) {
      setFailure(showFailure(form, error));
    } finally {
      sending.current = false;
    }
  }

  return (
    <form
      ref={element}
      onSubmit={(event) => form.handleSubmit(send)(event)}
      onInputCapture={() => {
        typed.current = true;
      }}
      // The step set the focus itself. An error shown on this blur would move the button under the mouse while it is
      // clicked.
      onBlurCapture={(event) => {
        if (!typed.current) event.stopPropagation();
      }}
      noValidate
    >
      {/* Names the account to a password manager. */}
      <input hidden readOnly type="email" name="email" autoComplete="username" value={email} />
      <Stack gap="md">
        {failure && <Notice kind="warning">{failure}</Notice>}
        {props.children(form.control)}
        <Group gap="xs">
          <Button
            type="submit"
            disabled={!isValid}
            loading={isSubmitting}
            {...(props.danger && { color: 'red' })}
          >
            {props.submitLabel}
          </Button>
          {props.onCancel && (
            <Button variant="default" disabled={isSubmitting} onClick={props.onCancel}>
              {t.common.cancel}
            </Button>
          )}
        </Group>
      </Stack>
    </form>
  );
}
