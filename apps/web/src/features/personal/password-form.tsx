import { changeOwnPassword, OwnPassword } from '@propusk/contract/auth';
import { Password } from '@propusk/contract/fields';
import { limits } from '@propusk/contract/limits';
import { type User } from '@propusk/contract/me';
import * as t from '@propusk/phrases/console';
import * as z from 'zod/mini';
import { ApiError } from '../../api/api-error.ts';
import { useCall } from '../../api/queries.ts';
import { currentPassword } from '../../entities/user/proof-fields.tsx';
import { PasswordField } from '../../forms/fields.tsx';
import { FormCard } from '../../ui/card.tsx';
import { toastSuccess } from '../../ui/toast.ts';
import { CurrentPasswordField, OwnForm } from './factor/own-form.tsx';

const PasswordForm = z.extend(OwnPassword, { currentPassword, repeat: Password });

/** Changes the signed-in user's password. The server then ends all other sessions and revokes all mail links. */
export function OwnPasswordForm({ me, onChanged }: { me: User; onChanged: () => void }) {
  const { mutateAsync } = useCall(changeOwnPassword);
  return (
    <FormCard
      title={t.personal.passwordTitle}
      lead={me.company ? t.personal.passwordHint : t.personal.passwordHintAlone}
    >
      <OwnForm
        unfocused
        schema={PasswordForm}
        initial={{ currentPassword: '', password: '', repeat: '' }}
        send={async ({ repeat, ...body }) => {
          if (repeat !== body.password)
            throw new ApiError('bad_input', t.auth.mismatch, 0, { repeat: t.form.differ });
          await mutateAsync({ body });
          toastSuccess(t.alerts.updated);
          onChanged();
        }}
        submitLabel={t.personal.changePassword}
      >
        {(control) => (
          <>
            <CurrentPasswordField control={control} />
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
          </>
        )}
      </OwnForm>
    </FormCard>
  );
}
