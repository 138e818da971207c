import { Button, Group, Text } from '@mantine/core';
import type { RefusedRow } from '@propusk/contract/bulk';
import { listPolicies } from '@propusk/contract/policies';
import { listSites } from '@propusk/contract/sites';
import { unicodeHost } from '@propusk/contract/unicode-host';
import { companyUsers } from '@propusk/contract/users';
import * as t from '@propusk/phrases/console';
import { useQuery } from '@tanstack/react-query';
import { ApiError } from '../api/api-error.ts';
import { call } from '../api/call.ts';
import { userLabel } from '../entities/user/names.ts';
import { Dialog, useExit } from '../forms/dialog.tsx';
import { Loaded } from '../ui/loaded.tsx';
import classes from './bulk-bar.module.css';

/** The rows that an action left unchanged. `done`: the number of changed rows; null if the action is all or nothing. */
export interface Refusals {
  rows: readonly Pick<RefusedRow, 'id' | 'message'>[];
  done: number | null;
}

/**
 * The rows that an all-or-nothing call refused, or an empty list for another failure.
 * @param idsOf returns the ids that the call sent in a list of its body
 */
export function refusedBy(error: unknown, idsOf: (list: string) => readonly number[]): Refusals['rows'] {
  if (!(error instanceof ApiError)) return [];
  return Object.entries(error.fields).flatMap(([path, message]) => {
    const [list = '', at] = path.split('.');
    const id = idsOf(list)[Number(at)];
    return id === undefined ? [] : { id, message };
  });
}

// Some rows are on other pages of the list, so their names are read.
const names = {
  site: async () =>
    (await call(listSites, {})).rows.map(({ id, address }) => [id, unicodeHost(address)] as const),
  user: async () => (await call(companyUsers, {})).rows.map((user) => [user.id, userLabel(user)] as const),
  policy: async () => (await call(listPolicies, {})).rows.map(({ id, name }) => [id, name] as const),
};

/** Lists the rows that an action left unchanged, each with the reason. `onDrop` ends the selection of these rows. */
export function RefusedRows(
  props: Refusals & { of: keyof typeof names; onDrop: () => void; onClose: () => void },
) {
  const { rows, done, of } = props;
  const exit = useExit(props.onClose);
  const query = useQuery({
    queryKey: ['names', of],
    queryFn: async () => new Map(await names[of]()),
    gcTime: 0,
  });
  return (
    <Dialog
      exit={exit}
      title={done === null ? t.bulk.refusedTitle : t.bulk.partTitle(done, done + rows.length)}
      onClose={() => exit.leave()}
    >
      <Text mb="xs">{done === null ? t.bulk.refusedHint(rows.length) : t.bulk.partHint}</Text>
      <Loaded query={query} height={72}>
        {(known) => (
          <ul className={classes.rows}>
            {rows.map(({ id, message }) => (
              <li key={id}>
                {known.get(id) ?? t.bulk.nameless(id)}
                <small>{message}</small>
              </li>
            ))}
          </ul>
        )}
      </Loaded>
      <Group justify="flex-end" mt="lg" gap="xs">
        {done === null && (
          <Button
            variant="default"
            onClick={() => {
              props.onDrop();
              exit.leave();
            }}
          >
            {t.bulk.unchoose}
          </Button>
        )}
        <Button onClick={() => exit.leave()} data-autofocus>
          {t.common.close}
        </Button>
      </Group>
    </Dialog>
  );
}
