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
const lists = {
  site: async () => namesOf((await call(listSites, {})).rows, ({ address }) => unicodeHost(address)),
  user: async () => namesOf((await call(companyUsers, {})).rows, userLabel),
  policy: async () => namesOf((await call(listPolicies, {})).rows, ({ name }) => name),
};
const namesOf = <Row extends { id: number }>(rows: readonly Row[], nameOf: (row: Row) => string) =>
  new Map(rows.map((row) => [row.id, nameOf(row)]));

/**
 * Lists the rows that an action left unchanged, each with the reason.
 * @param props.done the number of changed rows; null for an all-or-nothing action
 * @param props.onDrop ends the selection of these rows
 */
export function RefusedRows(props: {
  of: keyof typeof lists;
  rows: readonly Refused[];
  done: number | null;
  onDrop: () => void;
  onClose: () => void;
}) {
  const { rows, done } = props;
  const exit = useExit(props.onClose);
  const query = useQuery({ queryKey: ['names', props.of], queryFn: lists[props.of], gcTime: 0 });
  const close = () => exit.leave();
  return (
    <Dialog
      exit={exit}
      title={done === null ? t.bulk.refusedTitle : t.bulk.partTitle(done, done + rows.length)}
      onClose={close}
    >
      <Text mb="xs">{done === null ? t.bulk.refusedHint(rows.length) : t.bulk.partHint}</Text>
      <Loaded query={query} height={72}>
        {(names) => (
          <ul className={classes.rows}>
            {rows.map(({ id, message }) => (
              <li key={id}>
                {names.get(id) ?? t.bulk.nameless(id)}
                <Text fz={13} c="dimmed">
                  {message}
                </Text>
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
              close();
            }}
          >
            {t.bulk.unchoose}
          </Button>
        )}
        <Button onClick={close} data-autofocus>
          {t.common.close}
        </Button>
      </Group>
    </Dialog>
  );
}
