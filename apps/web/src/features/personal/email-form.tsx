import { Button, Text } from '@mantine/core';
import { useLink as linkCall } from '@propusk/contract/auth';
import { Email } from '@propusk/contract/fields';
import { limits } from '@propusk/contract/limits';
import { shownEmails } from '@propusk/contract/shown-email';
import * as t from '@propusk/phrases/console';
import { useState } from 'react';
import * as z from 'zod/mini';
import { call } from '../../api/call.ts';
import { useMailed } from '../../entities/user/no-mail.tsx';
import { currentPassword } from '../../entities/user/proof-fields.tsx';
import { EmailField } from '../../forms/fields.tsx';
import { FormCard } from '../../ui/card.tsx';
import { CurrentPasswordField, OwnForm } from './factor/own-form.tsx';

const EmailForm = z.object({ email: Email, currentPassword });

/**
 * Changes the signed-in user's email address: the server mails a link to the new address, and the address changes when
 * that link is used. The form asks for the password, so that a stolen session cannot take over the account.
 */
export function OwnEmailForm({ onClose }: { onClose: () => void }) {
  const [sent, setSent] = useState<string | null>(null);
  const mailed = useMailed();
  if (sent === null) return <Ask onSent={setSent} onClose={onClose} />;
  return (
    <FormCard title={t.personal.changeEmail}>
      <output>
        <Text fw={500} style={{ overflowWrap: 'anywhere' }}>
          {mailed ? t.personal.emailSent(sent) : t.noMail}
        </Text>
        <Text c="dimmed">{t.personal.emailSentHint(limits.linkMinutes)}</Text>
      </output>
      {/* The focused field was unmounted with the form: focus this button instead. */}
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
          onSent(shownEmails(body.email));
        }}
        submitLabel={t.personal.sendLink}
        onCancel={onClose}
      >
        {(control) => (
          <>
            <EmailField control={control} label={t.personal.newEmail} autoComplete="email" />
            <CurrentPasswordField control={control} />
          </>
        )}
      </OwnForm>
    </FormCard>
  );
}
