import { Button, Stack } from '@mantine/core';
import { Password } from '@propusk/contract/fields';
import { limits } from '@propusk/contract/limits';
import { type User } from '@propusk/contract/me';
import { changeOwnPassword, OwnPassword } from '@propusk/contract/users';
import * as t from '@propusk/phrases/console';
import { useRef, useState } from 'react';
import * as z from 'zod/mini';
import { useCall } from '../../api/queries.ts';
import { showFailure } from '../../common/contract-form.ts';
import { PasswordField } from '../../common/fields.tsx';
import { useContractForm } from '../../common/use-contract-form.ts';
import { FormCard } from '../../ui/form-card.tsx';
import { Notice } from '../../ui/notice.tsx';
import { toastSuccess } from '../../ui/toast.ts';

// The contract accepts an empty current password; sending one would waste one of ten attempts.
const PasswordForm = z.extend(OwnPassword, {
  currentPassword: OwnPassword.shape.currentPassword.check(z.minLength(1)),
  repeat: Password,
});
const EMPTY = { currentPassword: '', password: '', repeat: '' };

/** Changes the signed-in user's password. This session survives; all others and all mail links end. */
export function OwnPasswordForm({ me, onChanged }: { me: User; onChanged: () => void }) {
  const form = useContractForm(PasswordForm, EMPTY);
  const { control, formState } = form;
  const { mutateAsync } = useCall(changeOwnPassword);
  const [failure, setFailure] = useState<string | null>(null);
  // A ref, since both clicks of a double click see the same render's state.
  const saving = useRef(false);

  async function save({ repeat, ...body }: z.output<typeof PasswordForm>) {
    if (saving.current) return;
    if (repeat !== body.password) return setFailure(t.auth.mismatch);
    saving.current = true;
    setFailure(null);
    try {
      await mutateAsync({ body });
      form.reset(EMPTY);
      toastSuccess(t.alerts.updated);
      onChanged();
    } catch (error) {
      setFailure(showFailure(form, error));
    } finally {
      saving.current = false;
    }
  }

  return (
    <FormCard
      title={t.personal.passwordTitle}
      lead={me.company ? t.personal.passwordHint : t.personal.passwordHintAlone}
    >
      <form onSubmit={(event) => form.handleSubmit(save)(event)} noValidate>
        {/* Names the account to a password manager. */}
        <input hidden readOnly type="email" name="email" autoComplete="username" value={me.email} />
        <Stack gap="md">
          {failure && <Notice kind="warning">{failure}</Notice>}
          <PasswordField
            control={control}
            name="currentPassword"
            label={t.personal.currentPassword}
            autoComplete="current-password"
          />
          <PasswordField
            control={control}
            name="password"
            label={t.personal.newPassword}
            description={t.mailLink.newPasswordRule(limits.password.min)}
            autoComplete="new-password"
          />
          <PasswordField
            control={control}
            name="repeat"
            label={t.personal.repeatPassword}
            autoComplete="new-password"
          />
          <div>
            <Button type="submit" disabled={!formState.isValid} loading={formState.isSubmitting}>
              {t.personal.changePassword}
            </Button>
          </div>
        </Stack>
      </form>
    </FormCard>
  );
}
