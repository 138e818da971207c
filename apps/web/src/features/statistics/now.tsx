import type { Named } from '@propusk/contract/fields';
import { endVisits, liveVisits, type Visit } from '@propusk/contract/records';
import * as t from '@propusk/phrases/console';
import { IconActivity, IconPlugOff, IconUserOff } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { queryOptions, useCall } from '../../api/queries.ts';
import { dialogLink } from '../../dialog-route.tsx';
import { visitColumns, whenIn } from '../../entities/visit/visit-columns.tsx';
import { hostOf, personOf } from '../../entities/visit/visit-text.ts';
import { RowMenu } from '../../lists/row-menu.tsx';
import { confirm } from '../../ui/confirm.ts';
import { DataTable } from '../../ui/data-table.tsx';
import { Failed, State } from '../../ui/state.tsx';
import { useSort } from '../../ui/use-sort.tsx';
import { Old } from './old.tsx';
import { POLL_MS } from './period.ts';

const { site, person, where, traffic } = visitColumns;

const byText = (textOf: (visit: Visit) => string) => (one: Visit, other: Visit) =>
  textOf(one).localeCompare(textOf(other), 'ru');

/** The connections that are open now, with the actions that end them. */
export function Now({ zone }: { zone: string }) {
  const sortable = [
    { ...person, main: true, sort: byText(personOf) },
    { ...site, main: false, sort: byText(hostOf) },
    { ...whenIn(zone), sort: byText(({ startedAt }) => startedAt) },
    where,
    { ...traffic, sort: (one: Visit, other: Visit) => one.up + one.down - other.up - other.down },
  ];
  const query = useQuery({
    ...queryOptions(liveVisits, {}),
    refetchInterval: POLL_MS,
    meta: { toast: false },
  });
  const { mutateAsync } = useCall(endVisits);
  const { columns, rows } = useSort<Visit>(sortable, query.data?.rows);
  const end = (text: string, name: string, action: () => Promise<unknown>, done: string) =>
    confirm({
      text,
      hint: `${name}. ${t.statistics.endHint}`,
      yes: t.statistics.end,
      danger: true,
      action,
      done: [done, name],
    });
  function menuOf(visit: Visit) {
    const { user, id: record } = visit;
    const name = `${personOf(visit)}, ${hostOf(visit)}`;
    const { endQuestion, endAllQuestion, ended, endedAll } = t.statistics;
    const endOne = () => end(endQuestion, name, () => mutateAsync({ body: { record } }), ended);
    const endAll = (of: Named) =>
      end(endAllQuestion, of.name, () => mutateAsync({ body: { user: of.id } }), endedAll);
    const off = { icon: <IconPlugOff size={16} aria-hidden />, danger: true };
    const revoke = { label: t.statistics.revoke, icon: <IconUserOff size={16} aria-hidden /> };
    const ofUser = user && [
      { ...off, label: t.statistics.endAll, run: () => endAll(user) },
      { ...revoke, link: dialogLink('/dashboard/creator/users/$id/edit', user.id, { isOver: false }) },
    ];
    return (
      <RowMenu name={name} actions={[{ ...off, label: t.statistics.end, run: endOne }, ...(ofUser ?? [])]} />
    );
  }
  const failed = query.error && !query.data && <Failed query={query} title={t.visits.failed} />;
  return (
    <>
      <Old query={query} zone={zone} />
      <DataTable
        label={t.statistics.live}
        columns={columns}
        rows={failed ? [] : rows}
        rowMenu={menuOf}
        skeletonRows={5}
        fallback={
          failed || (
            <State
              icon={<IconActivity size={24} />}
              title={t.statistics.liveEmpty}
              hint={t.statistics.liveEmptyHint}
            />
          )
        }
      />
    </>
  );
}
