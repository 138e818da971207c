import { endSecondFactor, FactorProof, renewRecoveryCodes } from '@propusk/contract/second-factor';
import * as t from '@propusk/phrases/console';
import { useState } from 'react';
import * as z from 'zod/mini';
import { call } from '../../../api/call.ts';
import { currentPassword } from '../../../entities/user/proof-fields.tsx';
import { TextField } from '../../../forms/fields.tsx';
import { toastSuccess } from '../../../ui/toast.ts';
import { CurrentPasswordField, OwnForm } from './own-form.tsx';
import { RecoveryCodes } from './recovery-codes.tsx';

const ProofForm = z.extend(FactorProof, { currentPassword });

/** Asks for the password and a code, then renews the recovery codes or turns the second factor off. */
export function ConfirmFactor(props: { what: 'renew' | 'off'; onDone: () => void; onCancel: () => void }) {
  const { what, onDone } = props;
  const [codes, setCodes] = useState<readonly string[] | null>(null);
  if (codes !== null) return <RecoveryCodes codes={codes} onDone={onDone} />;

  async function send(body: z.output<typeof ProofForm>) {
    if (what === 'renew') return setCodes((await call(renewRecoveryCodes, { body })).codes);
    await call(endSecondFactor, { body });
    toastSuccess(t.factor.off);
    onDone();
  }

  return (
    <OwnForm
      schema={ProofForm}
      initial={{ currentPassword: '', code: '' }}
      send={send}
      submitLabel={t.factor.proveSubmit[what]}
      danger={what === 'off'}
      onCancel={props.onCancel}
    >
      {(control) => (
        <>
          <CurrentPasswordField control={control} />
          <TextField control={control} name="code" label={t.factor.anyCode} autoComplete="one-time-code" />
        </>
      )}
    </OwnForm>
  );
}
