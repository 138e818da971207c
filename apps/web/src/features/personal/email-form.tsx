import { Button, Group, Stack, Text } from '@mantine/core';
import { useLink as linkCall } from '@propusk/contract/auth';
import { CurrentPassword, Email } from '@propusk/contract/fields';
import { limits } from '@propusk/contract/limits';
import * as t from '@propusk/phrases/console';
import { useMutation } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import * as z from 'zod/mini';
import { call } from '../../api/call.ts';
import { showFailure } from '../../common/contract-form.ts';
import { PasswordField, TextField } from '../../common/fields.tsx';
import { useContractForm } from '../../common/use-contract-form.ts';
import { FormCard } from '../../ui/form-card.tsx';
import { Notice } from '../../ui/notice.tsx';

// The contract accepts an empty current password; sending one would waste one of ten attempts.
const EmailForm = z.object({ email: Email, currentPassword: CurrentPassword.check(z.minLength(1)) });
type EmailForm = z.output<typeof EmailForm>;

/** Asks for a link to another address, with the password: a session alone must not take the account over. The email changes when that link is used. */
export function OwnEmailForm({ onClose }: { onClose: () => void }) {
  const [sent, setSent] = useState<string | null>(null);
  if (sent === null) return <Ask onSent={setSent} onClose={onClose} />;
  return (
    <FormCard title={t.personal.changeEmail}>
      <output>
        <Text fw={500} style={{ overflowWrap: 'anywhere' }}>
          {t.personal.emailSent(sent)}
        </Text>
        <Text c="dimmed">{t.personal.emailSentHint(limits.linkMinutes)}</Text>
      </output>
      {/* The focused field was unmounted. */}
      <Button variant="default" mt="md" onClick={onClose} autoFocus>
        {t.common.close}
      </Button>
    </FormCard>
  );
}

function Ask({ onSent, onClose }: { onSent: (email: string) => void; onClose: () => void }) {
  const form = useContractForm(EmailForm, { email: '', currentPassword: '' });
  const { isValid, isSubmitting } = form.formState;
  const { mutateAsync } = useMutation({
    mutationFn: (body: EmailForm) => call(linkCall, { body: { ...body, change: true } }),
  });
  const [failure, setFailure] = useState<string | null>(null);
  // A ref, since both clicks of a double click see the same render's state.
  const sending = useRef(false);
  const element = useRef<HTMLFormElement>(null);
  useEffect(() => {
    element.current?.querySelector('input')?.focus();
  }, []);

  async function send(body: EmailForm) {
    if (sending.current) return;
    sending.current = true;
    setFailure(null);
    try {
      await mutateAsync(body);
      onSent(body.email);
    } catch (error) {
      setFailure(showFailure(form, error));
    } finally {
      sending.current = false;
    }
  }

  return (
    <FormCard title={t.personal.changeEmail} lead={t.personal.changeEmailHint}>
      <form ref={element} onSubmit={(event) => form.handleSubmit(send)(event)} noValidate>
        <Stack gap="md">
          {failure && <Notice kind="warning">{failure}</Notice>}
          <TextField
            control={form.control}
            name="email"
            type="email"
            label={t.personal.newEmail}
            autoComplete="email"
            placeholder="name@company.ru"
          />
          <PasswordField
            control={form.control}
            name="currentPassword"
            label={t.personal.currentPassword}
            autoComplete="current-password"
          />
          <Group gap="xs">
            <Button type="submit" disabled={!isValid} loading={isSubmitting}>
              {t.personal.sendLink}
            </Button>
            <Button variant="default" disabled={isSubmitting} onClick={onClose}>
              {t.common.cancel}
            </Button>
          </Group>
        </Stack>
      </form>
    </FormCard>
  );
}
