import { Anchor, Group, Stack, Text } from '@mantine/core';
import { FactorConfirmation } from '@propusk/contract/fields';
import {
  confirmSecondFactor,
  type FactorSecret,
  FactorStart,
  startSecondFactor,
} from '@propusk/contract/second-factor';
import * as t from '@propusk/phrases/console';
import { Suspense, useState } from 'react';
import * as z from 'zod/mini';
import { call } from '../../../api/call.ts';
import { currentPassword } from '../../../entities/user/proof-fields.tsx';
import { TextField } from '../../../forms/fields.tsx';
import { CopyButton } from '../../../ui/copy-button.tsx';
import { lazyOptional } from '../../../ui/lazy.tsx';
import { CurrentPasswordField, OwnForm } from './own-form.tsx';
import { RecoveryCodes } from './recovery-codes.tsx';
import classes from './second-factor.module.css';

// Loaded when the secret is shown. If the file does not load, the user can type the secret into the app.
const QrCode = lazyOptional(() => import('./qr-code.tsx'), 'QrCode');

const StartForm = z.extend(FactorStart, { currentPassword });

/** Turns the second factor on in three steps: the password, the authenticator app, the recovery codes. */
export function Enrolment({ onDone, onCancel }: { onDone: () => void; onCancel?: () => void }) {
  const [secret, setSecret] = useState<FactorSecret | null>(null);
  const [codes, setCodes] = useState<readonly string[] | null>(null);

  // Queries are refetched only in `onDone`: a refetch now would unmount the recovery codes before the user saves them.
  if (codes !== null) return <RecoveryCodes codes={codes} note={t.factor.ended} onDone={onDone} />;
  if (secret === null) {
    return (
      <OwnForm
        key="start"
        schema={StartForm}
        initial={{ currentPassword: '' }}
        send={async (body) => setSecret(await call(startSecondFactor, { body }))}
        submitLabel={t.factor.next}
        onCancel={onCancel}
      >
        {(control) => (
          <>
            <Text c="dimmed">{t.factor.start}</Text>
            <CurrentPasswordField control={control} />
          </>
        )}
      </OwnForm>
    );
  }
  return (
    <OwnForm
      key="confirm"
      schema={FactorConfirmation}
      initial={{ code: '' }}
      send={async (body) => setCodes((await call(confirmSecondFactor, { body })).codes)}
      submitLabel={t.factor.confirm}
      onCancel={onCancel}
    >
      {(control) => (
        <>
          <Stack gap="sm">
            <Text fw={500}>{t.factor.scanTitle}</Text>
            <Text c="dimmed">{t.factor.scan}</Text>
            <Suspense fallback={<div className={classes.qr} />}>
              <QrCode text={secret.uri} />
            </Suspense>
            <Text c="dimmed">
              {t.factor.byHand}
              <Group component="span" gap="xs" wrap="nowrap" className={classes.secret}>
                <code>{secret.secret.replace(/.{4}(?=.)/g, '$& ')}</code>
                <CopyButton value={secret.secret} label={t.factor.copySecret} />
              </Group>
            </Text>
            <Anchor href={secret.uri}>{t.factor.openApp}</Anchor>
          </Stack>
          <TextField
            control={control}
            name="code"
            label={t.factor.code}
            description={t.factor.codeHint}
            inputMode="numeric"
            autoComplete="one-time-code"
          />
        </>
      )}
    </OwnForm>
  );
}
