import type { Access, Endpoint } from '@propusk/contract/endpoint';
import type { IdParams } from '@propusk/contract/fields';
import * as t from '@propusk/phrases/console';
import { useCall } from '../api/queries.ts';
import { confirm } from '../ui/confirm.ts';

/** A call that removes one entity by its id. */
type Remove = Endpoint<Access, typeof IdParams, undefined, undefined, undefined>;

/**
 * Returns a function that removes an entity: it asks for confirmation, makes the call and shows a toast. With `version`, the
 * server refuses to remove an entity that has changed since.
 * @param question the specification's question; the dialog shows the entity's name below it
 * @param done the sentence of the toast
 * @param loss a sentence about the consequences, or the kind of the entity: the dialog then counts who would lose access
 */
export function useRemove(
  endpoint: Remove,
  question: string,
  loss?: { says: string } | { of: 'site' | 'policy' | 'user' },
  done: string = t.alerts.deleted,
): (id: number, name: string, version?: number) => Promise<void> {
  const { mutateAsync } = useCall(endpoint);
  return async (id, name, version) => {
    await confirm({
      text: question,
      hint: loss && 'says' in loss ? `${name}. ${loss.says}` : name,
      ...(loss &&
        'of' in loss && {
          // A dynamic import keeps this code out of the page's first load.
          consequence: import('./tell-loss.ts').then(({ tellLoss }) => tellLoss(loss.of, id)),
        }),
      yes: t.common.yes,
      no: t.common.no,
      danger: true,
      action: () => mutateAsync({ params: { id }, version }),
      done: [done, name],
    });
  };
}
