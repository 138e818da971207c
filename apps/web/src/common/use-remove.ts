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
 * @param loss what goes with the entity, where that is more than people would think
 */
export function useRemove(
  endpoint: Remove,
  question: string,
  loss?: string,
): (id: number, name: string) => Promise<void> {
  const client = useQueryClient();
  const { mutateAsync } = useMutation({
    mutationFn: (id: number) => call(endpoint, { params: { id } }),
    onSuccess: () => client.invalidateQueries(),
  });
  return async (id, name) => {
    const removed = await confirm({
      text: question,
      hint: loss === undefined ? name : `${name}. ${loss}`,
      yes: t.common.yes,
      no: t.common.no,
      danger: true,
      action: () => mutateAsync(id),
    });
    if (removed) toastSuccess(t.alerts.deleted, name);
  };
}
