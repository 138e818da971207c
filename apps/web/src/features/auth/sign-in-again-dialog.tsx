import { Button, Group, Modal, Text } from '@mantine/core';
import { Login, login } from '@propusk/contract/auth';
import * as t from '@propusk/phrases/console';
import { useState } from 'react';
import { ApiError } from '../../api/api-error.ts';
import { call } from '../../api/call.ts';
import { showFailure, useResolverForm } from '../../forms/contract-form.ts';
import { EmailField, PasswordField, TextField } from '../../forms/fields.tsx';
import { FocusedForm } from '../../forms/focused-form.tsx';
import { useAttempt } from '../../forms/use-attempt.ts';
import { contractResolver } from '../../forms/use-contract-form.ts';
import { Notice } from '../../ui/notice.tsx';
import { useReturnFocus } from '../../ui/use-return-focus.ts';

const resolver = contractResolver(Login);

/** Lets the user sign in again when the session has ended under a changed form. The dialog has no close button. */
export function SignInAgainDialog(props: {
  opened: boolean;
  /** The user whose session ended. */
  email: string;
  onToken: (token: string) => Promise<void>;
  onLeave: () => void;
  /** Called when the dialog's file did not load. */
  onClose: () => void;
}) {
  useReturnFocus(props.opened);
  return (
    <Modal
      opened={props.opened}
      onClose={() => {}}
      withCloseButton={false}
      closeOnEscape={false}
      closeOnClickOutside={false}
      returnFocus={false}
      size={440}
      zIndex={450}
      // The overlay hides the page, because another user may sign in here.
      overlayProps={{ blur: 16, color: 'var(--backdrop)', backgroundOpacity: 1 }}
      title={t.signInAgain.title}
    >
      <SignIn {...props} />
    </Modal>
  );
}

function SignIn(props: { email: string; onToken: (token: string) => Promise<void>; onLeave: () => void }) {
  const form = useResolverForm<typeof Login>(resolver, { email: props.email, password: '' });
  const attempt = useAttempt((error) => showFailure(form, error));
  const [needsCode, setNeedsCode] = useState(false);
  const { control } = form;
  const submit = form.handleSubmit((body) =>
    attempt.run(async () => {
      try {
        await props.onToken((await call(login, { body })).token);
      } catch (error) {
        if (!(error instanceof ApiError && error.code === 'second_factor_needed')) throw error;
        setNeedsCode(true);
      }
    }),
  );

  return (
    // The new key remounts the form in the second step, so that the code field gets the focus.
    <FocusedForm key={String(needsCode)} onSubmit={submit}>
      <Text c="dimmed">{needsCode ? t.signInCode.hint : t.signInAgain.hint}</Text>
      {attempt.failure && <Notice kind="warning">{attempt.failure}</Notice>}
      {needsCode ? (
        <TextField control={control} name="code" label={t.signInCode.code} autoComplete="one-time-code" />
      ) : (
        <>
          <EmailField control={control} label={t.auth.email} autoComplete="username" />
          <PasswordField
            control={control}
            name="password"
            label={t.auth.password}
            autoComplete="current-password"
            autoFocus
          />
        </>
      )}
      <Group justify="flex-end" gap="xs" mt="xs">
        <Button variant="default" disabled={attempt.busy} onClick={props.onLeave}>
          {t.signInAgain.leave}
        </Button>
        <Button type="submit" disabled={!form.formState.isValid} loading={attempt.busy}>
          {t.auth.signIn}
        </Button>
      </Group>
    </FocusedForm>
  );
}
