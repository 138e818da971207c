import { endVisits, liveVisits, type Visit } from '@propusk/contract/records';
import * as t from '@propusk/phrases/console';
import { IconActivity, IconPlugOff, IconUserOff } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { queryOptions, useCall } from '../../api/queries.ts';
import { visitColumns } from '../../common/visit-columns.tsx';
import { hostOf } from '../../common/visit-text.ts';
import { confirm } from '../../ui/confirm.ts';
import { DataTable } from '../../ui/data-table.tsx';
import { RowMenu } from '../../ui/row-menu.tsx';
import { Failed, State } from '../../ui/state.tsx';
import { toastSuccess } from '../../ui/toast.ts';
import { editOf } from './edit-of.ts';
import { POLL_MS } from './period.ts';

const { site, person, when, where, traffic } = visitColumns;
const columns = [person, { ...site, main: false }, when, where, traffic].map((column) =>
  column.key === 'person' ? { ...column, main: true } : column,
);

/** The connections that are open now, with the actions that end them. */
export function Now() {
  const query = useQuery({ ...queryOptions(liveVisits, {}), refetchInterval: POLL_MS });
  const { mutateAsync } = useCall(endVisits);
  const navigate = useNavigate();
  async function end(text: string, name: string, action: () => Promise<unknown>, done: string) {
    const ended = await confirm({
      text,
      hint: `${name}. ${t.statistics.endHint}`,
      yes: t.statistics.end,
      no: t.common.cancel,
      danger: true,
      action,
    });
    if (ended) toastSuccess(done, name);
  }
  function menuOf(visit: Visit) {
    const { user, id: record } = visit;
    const name = `${user?.name ?? t.visits.someone}, ${hostOf(visit)}`;
    const endOne = () =>
      end(t.statistics.endQuestion, name, () => mutateAsync({ body: { record } }), t.statistics.ended);
    const icon = <IconPlugOff size={16} aria-hidden />;
    return (
      <RowMenu
        name={name}
        actions={[
          { label: t.statistics.end, icon, danger: true, run: endOne },
          ...(user
            ? [
                {
                  label: t.statistics.endAll,
                  icon,
                  danger: true,
                  run: () =>
                    end(
                      t.statistics.endAllQuestion,
                      user.name,
                      () => mutateAsync({ body: { user: user.id } }),
                      t.statistics.endedAll,
                    ),
                },
                {
                  label: t.statistics.revoke,
                  icon: <IconUserOff size={16} aria-hidden />,
                  run: () => navigate(editOf(user)),
                },
              ]
            : []),
        ]}
      />
    );
  }
  const failed = query.error && !query.data && <Failed query={query} title={t.visits.failed} />;
  return (
    <DataTable
      label={t.statistics.live}
      columns={columns}
      rows={failed ? [] : query.data?.rows}
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
  );
}
