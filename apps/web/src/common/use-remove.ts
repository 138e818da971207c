import type { Access, Endpoint } from '@propusk/contract/endpoint';
import type { IdParams } from '@propusk/contract/fields';
import * as t from '@propusk/phrases/console';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { call } from '../api/call.ts';
import { confirm } from '../ui/confirm.ts';
import { toastSuccess } from '../ui/toast.ts';

/** A call that removes one entity by its id. */
type Remove = Endpoint<Access, typeof IdParams, undefined, undefined, undefined>;

/**
 * Removes an entity: the specification's question with the entity's name, the call, the toast.
 * @param question word for word from the spec
 * @param loss a sentence about the consequences, or the kind of entity: then the dialog counts the users who lose access
 */
export function useRemove(
  endpoint: Remove,
  question: string,
  loss?: { says: string } | { of: 'site' | 'policy' | 'user' },
): (id: number, name: string) => Promise<void> {
  const client = useQueryClient();
  const { mutateAsync } = useMutation({
    mutationFn: (id: number) => call(endpoint, { params: { id } }),
    onSuccess: () => client.invalidateQueries(),
  });
  return async (id, name) => {
    const removed = await confirm({
      text: question,
      hint: loss && 'says' in loss ? `${name}. ${loss.says}` : name,
      ...(loss &&
        'of' in loss && {
          // Imported with the question: the first screen does not need it.
          consequence: import('./tell-loss.ts').then(({ tellLoss }) => tellLoss(loss.of, id)),
        }),
      yes: t.common.yes,
      no: t.common.no,
      danger: true,
      action: () => mutateAsync(id),
    });
    if (removed) toastSuccess(t.alerts.deleted, name);
  };
}
