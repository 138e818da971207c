import type { User } from '@propusk/contract/me';
import { resetSecondFactor } from '@propusk/contract/second-factor';
import * as t from '@propusk/phrases/console';
import { useCall } from '../../api/queries.ts';
import { rolesOf, useMe } from '../../common/me.tsx';
import { userName } from '../../common/names.ts';
import { confirm } from '../../ui/confirm.ts';
import { toastSuccess } from '../../ui/toast.ts';
import { isProtected } from './is-protected.ts';

/** Resets the second factor of a user who lost it: an owner an agent's, an ADMIN any but their own. */
export function useResetFactor() {
  const me = useMe();
  const { mutateAsync } = useCall(resetSecondFactor);
  return {
    canReset: (user: User) =>
      user.secondFactor && user.id !== me.id && (rolesOf(me).includes('ADMIN') || !isProtected(user)),
    async reset(user: User): Promise<void> {
      const done = await confirm({
        text: t.factor.resetQuestion,
        hint: t.factor.resetHint(`${userName(user)}, ${user.email}`),
        yes: t.factor.reset,
        no: t.common.cancel,
        danger: true,
        action: () => mutateAsync({ params: { id: user.id }, body: {} }),
      });
      if (done) toastSuccess(t.factor.resetDone, userName(user));
    },
  };
}
