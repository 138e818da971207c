import { Button } from '@mantine/core';
import * as t from '@propusk/phrases/console';
import { useState } from 'react';
import type { DefaultValues } from 'react-hook-form';
import type * as z from 'zod/mini';
import { Notice } from '../ui/notice.tsx';
import { type ContractForm, type FormSchema, refill, showFailure } from './contract-form.ts';
import { useAttempt } from './use-attempt.ts';

/**
 * The saves of a form, one at a time, and the notice above its fields: the failure of the last save, and after a version
 * conflict the button that loads the stored values and keeps the user's input.
 * @param read reads the entity's current values after a version conflict
 */
export function useSave<S extends FormSchema>(
  form: ContractForm<S>,
  read?: () => Promise<DefaultValues<z.input<S>>>,
) {
  const saving = useAttempt((error) => showFailure(form, error));
  const reloading = useAttempt((error) => showFailure(form, error));
  const [reloaded, setReloaded] = useState(false);
  const failure = reloading.failure ?? saving.failure;
  const run = (work: () => Promise<unknown>) =>
    saving.run(() => {
      reloading.fail(null);
      return work();
    });
  const reload = () =>
    reloading.run(async () => {
      const fresh = await read?.();
      if (fresh) refill(form, fresh);
      saving.fail(null);
      setReloaded(true);
    });
  const notice = failure ? (
    <Notice kind="error">
      {failure}
      {/* Another user saved this entity after the form was opened. */}
      {saving.code === 'changed_meanwhile' && read && (
        <Button
          display="block"
          size="compact-sm"
          variant="default"
          mt="xs"
          loading={reloading.busy}
          onClick={reload}
        >
          {t.input.reload}
        </Button>
      )}
    </Notice>
  ) : (
    reloaded && <Notice kind="warning">{t.input.reloaded}</Notice>
  );
  return { isSaving: saving.busy, isReloading: reloading.busy, run, notice };
}
