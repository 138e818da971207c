import type { RefusedRow } from '@propusk/contract/bulk';
import { listPolicies } from '@propusk/contract/policies';
import { listSites } from '@propusk/contract/sites';
import { unicodeHost } from '@propusk/contract/unicode-host';
import { companyUsers } from '@propusk/contract/users';
import * as t from '@propusk/phrases/console';
import { ApiError } from '../api/api-error.ts';
import { call } from '../api/call.ts';
import { userLabel } from '../entities/user/names.ts';
import { confirm } from '../ui/confirm.ts';
import { FaultList } from '../ui/fault-list.tsx';

export type Refused = Pick<RefusedRow, 'id' | 'message'>;

/** The rows that an all-or-nothing call refused, by their indexes in a list of `ids`; an empty list for another failure. */
export function refusedBy(error: unknown, ids: readonly number[]): Refused[] {
  if (!(error instanceof ApiError)) return [];
  return Object.entries(error.fields).flatMap(([path, message]) => {
    const id = ids[Number(path.split('.')[1])];
    return id === undefined ? [] : { id, message };
  });
}

// Some rows are on other pages of the list, so the names of all are read.
const names = {
  site: async () =>
    (await call(listSites, {})).rows.map(({ id, address }) => [id, unicodeHost(address)] as const),
  user: async () => (await call(companyUsers, {})).rows.map((user) => [user.id, userLabel(user)] as const),
  policy: async () => (await call(listPolicies, {})).rows.map(({ id, name }) => [id, name] as const),
};

/**
 * Shows the rows that an action left unchanged, each with the reason. A row without a name was deleted, or its name did not load.
 * @param done the number of changed rows; null for an all-or-nothing action
 * @returns true if the user chose to deselect these rows. The dialog offers this only after an all-or-nothing action
 */
export async function showRefused(of: keyof typeof names, rows: readonly Refused[], done: number | null) {
  const known = new Map(await names[of]().catch(() => []));
  return confirm({
    text: done === null ? t.bulk.refusedTitle : t.bulk.partTitle(done, done + rows.length),
    hint: (
      <>
        {done === null ? t.bulk.refusedHint(rows.length) : t.bulk.partHint}
        <FaultList
          rows={rows.map(({ id, message }) => {
            return { id, name: known.get(id) ?? t.bulk.nameless(id), reason: message };
          })}
        />
      </>
    ),
    yes: done === null && t.bulk.unchoose,
    no: t.common.close,
  });
}
