import { Button, CloseButton, Loader } from '@mantine/core';
import * as contract from '@propusk/contract/bulk';
import type { MadeInvitations } from '@propusk/contract/invitations';
import { listPolicies, policyIds } from '@propusk/contract/policies';
import { siteIds } from '@propusk/contract/sites';
import { companyUsers, userIds } from '@propusk/contract/users';
import * as t from '@propusk/phrases/console';
import { IconMail, IconShieldCheck, IconShieldMinus, IconShieldPlus, IconTrash } from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useEffect, useEffectEvent, useState } from 'react';
import { call } from '../api/call.ts';
import type { List } from '../api/list.ts';
import { queryOptions, useCall } from '../api/queries.ts';
import { messageOf, useAttempt } from '../forms/use-attempt.ts';
import { confirm } from '../ui/confirm.ts';
import { lazyDialog } from '../ui/lazy.tsx';
import { toastFailure, toastSuccess } from '../ui/toast.ts';
import classes from './bulk-bar.module.css';
import { type Refusals, RefusedRows, refusedBy } from './refused-rows.tsx';
import { sayLoss } from './tell-loss.ts';

const MembersDialog = lazyDialog(() => import('./members-dialog.tsx'), 'MembersDialog');
const InvitationLinks = lazyDialog(() => import('../entities/user/invitation-links.tsx'), 'InvitationLinks');

const calls = {
  site: [siteIds, contract.deleteSites, contract.sitesLoss],
  user: [userIds, contract.deleteUsers, contract.usersLoss],
  policy: [policyIds, contract.deletePolicies, contract.policiesLoss],
} as const;

/** The bar with the number of the selected rows and the actions for them. Escape ends the selection. */
export function BulkBar(props: {
  of: keyof typeof calls;
  chosen: ReadonlySet<number>;
  /** All rows that match the filters are selected. The bar fetches the ids of those on other pages. */
  isAll: boolean;
  /** The filters and the search of the list. */
  query: { name?: string | undefined };
  /** The current page of the list. */
  list: List<{ id: number }>;
  onKeep: (ids: Iterable<number>, isAll?: boolean) => void;
  onClose: () => void;
}) {
  const { of, isAll, list, onClose } = props;
  const ids = [...props.chosen];
  const page = list.rows.map(({ id }) => id);
  const total = list.count;
  const client = useQueryClient();
  const [idsOf, deletion, preview] = calls[of];
  const remove = useCall(deletion);
  const probe = useCall(contract.probeSites);
  const again = useCall(contract.inviteManyAgain);
  const attempt = useAttempt();
  const [change, setChange] = useState<'add' | 'remove' | null>(null);
  const [refusals, setRefusals] = useState<Refusals | null>(null);
  const [links, setLinks] = useState<MadeInvitations | null>(null);
  const body = { ids };
  const isLoading = isAll && ids.length < total;
  const isBusy = attempt.busy || isLoading;

  const loadAll = useEffectEvent(async (isStale: () => boolean) => {
    try {
      const all = (await call(idsOf, { query: props.query })).ids;
      if (!isStale()) props.onKeep(all);
    } catch (error) {
      if (isStale()) return;
      toastFailure(messageOf(error));
      props.onKeep(ids);
    }
  });
  useEffect(() => {
    let stale = false;
    if (isLoading) void loadAll(() => stale);
    return () => {
      stale = true;
    };
  }, [isLoading]);

  const clear = useEffectEvent(onClose);
  useEffect(() => {
    void client.prefetchQuery(queryOptions(listPolicies, {}));
  }, [client]);
  useEffect(() => {
    function onKey({ key, defaultPrevented }: KeyboardEvent) {
      const isCovered = document.querySelector('[role="dialog"], [role="menu"]') !== null;
      if (key === 'Escape' && !defaultPrevented && !isCovered) clear();
    }
    window.addEventListener('keydown', onKey);
    return () => window.removeEventListener('keydown', onKey);
  }, []);

  /** Runs an action. Rows that prevent the action are shown, and other failures are reported by a toast. */
  const run = (work: () => Promise<unknown>) =>
    void attempt.run(async () => {
      try {
        await work();
      } catch (error) {
        const rows = refusedBy(error, () => ids);
        if (rows.length > 0) setRefusals({ rows, done: null });
        else toastFailure(messageOf(error));
      }
    });

  async function askAndRemove() {
    // The preview comes before the question, because rows that must stay prevent the deletion.
    const consequence = await call(preview, { body }).then(sayLoss, (error) => {
      if (refusedBy(error, () => ids).length > 0) throw error;
      return t.loss.unknown;
    });
    void ask(consequence);
  }

  async function ask(consequence: string) {
    let rows: Refusals['rows'] = [];
    const isDone = await confirm({
      text: t.bulk.remove[of](ids.length),
      consequence: Promise.resolve(consequence),
      yes: t.common.remove,
      danger: true,
      action: () =>
        remove.mutateAsync({ body }).catch((error) => {
          rows = refusedBy(error, () => ids);
          if (rows.length === 0) throw error;
        }),
    });
    if (rows.length > 0) setRefusals({ rows, done: null });
    else if (isDone) finish(t.alerts.deleted, []);
  }

  async function check() {
    const { queued, refused } = await probe.mutateAsync({ body });
    finish(t.bulk.checking(queued.length), refused, queued.length);
  }

  async function inviteAgain() {
    const { rows } = await client.fetchQuery({ ...queryOptions(companyUsers, {}), staleTime: 0 });
    const invited = rows.filter(({ id, invitation }) => invitation !== null && ids.includes(id));
    if (invited.length === 0) return toastFailure(t.bulk.nobodyInvited);
    const made = await again.mutateAsync({ body: { ids: invited.map(({ id }) => id) } });
    if (!made.mailed && made.invitations.length > 0) setLinks(made);
    finish(t.invitations.sent(made.invitations.length), made.refused, made.invitations.length, !made.mailed);
  }

  /** Ends an action: shows the rows that it left unchanged; without such rows, a toast. */
  function finish(text: string, rows: Refusals['rows'], done = 0, isQuiet = false) {
    if (rows.length > 0) return setRefusals({ rows, done });
    if (!isQuiet) toastSuccess(text);
    if (!isQuiet) onClose();
  }

  const action = (label: string, icon: ReactNode, onClick: () => void) => (
    <Button size="compact-sm" variant="subtle" color="gray" leftSection={icon} onClick={onClick}>
      {label}
    </Button>
  );
  const isWhole = ids.length === total;
  return (
    <section aria-label={t.bulk.label} className={classes.bar} aria-busy={isBusy}>
      <output>{isWhole && total > page.length ? t.bulk.allChosen(total) : t.bulk.chosen(ids.length)}</output>
      {(!isWhole || total > page.length) && (
        <button type="button" className={classes.hint} onClick={() => props.onKeep(page, !isWhole)}>
          {isWhole ? t.bulk.pageOnly : t.list.chooseAll(total)}
        </button>
      )}
      <div className={classes.actions} inert={isBusy}>
        {of !== 'policy' && action(t.bulk.add[of], <IconShieldPlus size={16} />, () => setChange('add'))}
        {of !== 'policy' && action(t.bulk.drop, <IconShieldMinus size={16} />, () => setChange('remove'))}
        {of === 'site' && action(t.bulk.check, <IconShieldCheck size={16} />, () => run(check))}
        {of === 'user' && action(t.bulk.again, <IconMail size={16} />, () => run(inviteAgain))}
        {action(t.common.remove, <IconTrash size={16} />, () => run(askAndRemove))}
      </div>
      <span className={classes.close}>
        {isBusy ? <Loader size={28} /> : <CloseButton aria-label={t.bulk.clear} onClick={onClose} />}
      </span>
      {change && of !== 'policy' && (
        <MembersDialog
          of={of}
          ids={ids}
          change={change}
          onRefused={(rows) => {
            setChange(null);
            setRefusals({ rows, done: null });
          }}
          onClose={(saved) => {
            setChange(null);
            if (saved) onClose();
          }}
        />
      )}
      {links && <InvitationLinks made={links} onClose={() => setLinks(null)} />}
      {refusals && !links && (
        <RefusedRows
          of={of}
          {...refusals}
          onDrop={() => props.onKeep(ids.filter((id) => refusals.rows.every((row) => row.id !== id)))}
          onClose={() => setRefusals(null)}
        />
      )}
    </section>
  );
}
