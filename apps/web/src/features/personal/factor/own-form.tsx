import { Button, Group } from '@mantine/core';
import * as t from '@propusk/phrases/console';
import type { ReactNode } from 'react';
import type { Control, DefaultValues, FieldPath, FieldValues } from 'react-hook-form';
import type * as z from 'zod/mini';
import { useMe } from '../../../entities/user/me.tsx';
import { type FormSchema, showFailure } from '../../../forms/contract-form.ts';
import { PasswordField } from '../../../forms/fields.tsx';
import { FocusedForm } from '../../../forms/focused-form.tsx';
import { useAttempt } from '../../../forms/use-attempt.ts';
import { useContractForm } from '../../../forms/use-contract-form.ts';
import { Notice } from '../../../ui/notice.tsx';

/** The field `currentPassword` of a form of the personal page. */
export function CurrentPasswordField<V extends FieldValues, O>(props: { control: Control<V, unknown, O> }) {
  const name = 'currentPassword' as FieldPath<V>;
  return (
    <PasswordField
      {...props}
      name={name}
      label={t.personal.currentPassword}
      autoComplete="current-password"
    />
  );
}

/** A form of the personal page. A failure keeps the input, a success empties it. */
export function OwnForm<S extends FormSchema>(props: {
  schema: S;
  initial: DefaultValues<z.input<S>>;
  send: (body: z.output<S>) => Promise<unknown>;
  submitLabel: string;
  danger?: boolean;
  unfocused?: boolean;
  onCancel?: (() => void) | undefined;
  children: (control: Control<z.input<S>, unknown, z.output<S>>) => ReactNode;
}) {
  const form = useContractForm(props.schema, props.initial);
  const attempt = useAttempt((error) => showFailure(form, error));
  const { email } = useMe();
  const send = (body: z.output<S>) =>
    attempt.run(async () => {
      await props.send(body);
      form.reset(props.initial);
    });
  return (
    <FocusedForm onSubmit={(event) => form.handleSubmit(send)(event)} unfocused={props.unfocused === true}>
      {/* A hidden field that tells password managers which account the password belongs to. */}
      <input hidden readOnly type="email" name="email" autoComplete="username" value={email} />
      {attempt.failure && <Notice kind="warning">{attempt.failure}</Notice>}
      {props.children(form.control)}
      <Group gap="xs">
        <Button
          type="submit"
          disabled={!form.formState.isValid}
          loading={attempt.busy}
          {...(props.danger && { color: 'red' })}
        >
          {props.submitLabel}
        </Button>
        {props.onCancel && (
          <Button variant="default" disabled={attempt.busy} onClick={props.onCancel}>
            {t.common.cancel}
          </Button>
        )}
      </Group>
    </FocusedForm>
  );
}
