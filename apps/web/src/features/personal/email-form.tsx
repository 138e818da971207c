import { Button, Text } from '@mantine/core';
import { useLink as linkCall } from '@propusk/contract/auth';
import { CurrentPassword, Email } from '@propusk/contract/fields';
import { limits } from '@propusk/contract/limits';
import * as t from '@propusk/phrases/console';
import { useState } from 'react';
import * as z from 'zod/mini';
import { call } from '../../api/call.ts';
import { EmailField, PasswordField } from '../../common/fields.tsx';
import { FormCard } from '../../ui/card.tsx';
import { OwnForm } from './factor/own-form.tsx';

// The contract accepts an empty current password; sending one would waste one of ten attempts.
const EmailForm = z.object({ email: Email, currentPassword: CurrentPassword.check(z.minLength(1)) });

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
  return (
    <FormCard title={t.personal.changeEmail} lead={t.personal.changeEmailHint}>
      <OwnForm
        schema={EmailForm}
        initial={{ email: '', currentPassword: '' }}
        send={async (body) => {
          await call(linkCall, { body: { ...body, change: true } });
          onSent(body.email);
        }}
        submitLabel={t.personal.sendLink}
        onCancel={onClose}
      >
        {(control) => (
          <>
            <EmailField control={control} label={t.personal.newEmail} autoComplete="email" />
            <PasswordField
              control={control}
              name="currentPassword"
              label={t.personal.currentPassword}
              autoComplete="current-password"
            />
          </>
        )}
      </OwnForm>
    </FormCard>
  );
}
