import { Anchor, Button, CloseButton, Loader } from '@mantine/core';
import { useWindowEvent } from '@mantine/hooks';
import * as contract from '@propusk/contract/bulk';
import { companyUsers } from '@propusk/contract/users';
import * as t from '@propusk/phrases/console';
import {
  IconMail,
  IconPuzzle,
  IconShieldCheck,
  IconShieldMinus,
  IconShieldPlus,
  IconTrash,
} from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { call, type Reply } from '../api/call.ts';
import type { List } from '../api/list.ts';
import { queryOptions, useCall } from '../api/queries.ts';
import { usePolicyOptions } from '../entities/use-options.ts';
import { messageOf, useAttempt } from '../forms/use-attempt.ts';
import { confirm } from '../ui/confirm.ts';
import { lazyDialog } from '../ui/lazy.tsx';
import { toastFailure, toastSuccess } from '../ui/toast.ts';
import classes from './bulk-bar.module.css';
import { type Refused, refusedBy, showRefused } from './refused-rows.tsx';
import { sayLoss } from './tell-loss.ts';

const MembersDialog = lazyDialog(() => import('./members-dialog.tsx'), 'MembersDialog');
const InvitationLinks = lazyDialog(() => import('../entities/user/invitation-links.tsx'), 'InvitationLinks');

const deletions = {
  site: [contract.deleteSites, contract.sitesLoss],
  user: [contract.deleteUsers, contract.usersLoss],
  policy: [contract.deletePolicies, contract.policiesLoss],
} as const;

/** The bar with the number of the selected rows and the actions for them. Escape ends the selection. */
export function BulkBar(props: {
  of: keyof typeof deletions;
  chosen: ReadonlySet<number>;
  /** The ids of selected rows on other pages are still loading. */
  isLoading: boolean;
  /** The current page of the list. */
  list: List<{ id: number }>;
  onKeep: (ids: Iterable<number>, isAll?: boolean) => void;
  onClose: () => void;
}) {
  const { of, list, onClose } = props;
  const ids = [...props.chosen];
  const body = { ids };
  const client = useQueryClient();
  const [deletion, preview] = deletions[of];
  const remove = useCall(deletion);
  const probe = useCall(contract.probeSites);
  const again = useCall(contract.inviteManyAgain);
  const reminder = useCall(contract.remindOfExtension);
  const attempt = useAttempt();
  const isBusy = attempt.busy || props.isLoading;
  const [change, setChange] = useState<'add' | 'remove' | null>(null);
  const [links, setLinks] = useState<Reply<typeof contract.inviteManyAgain> | null>(null);
  // Loads the options of the dialog before it opens.
  usePolicyOptions([]);
  useWindowEvent('keydown', ({ key, defaultPrevented }) => {
    const isCovered = document.querySelector('[role="dialog"], [role="menu"]') !== null;
    if (key === 'Escape' && !defaultPrevented && !isCovered) onClose();
  });

  /** Reports the failure of an action: the rows that prevent it, and other failures by a toast. */
  async function fail(error: unknown) {
    const rows = refusedBy(error, ids);
    if (rows.length === 0) toastFailure(messageOf(error));
    else if (await showRefused(of, rows, null))
      props.onKeep(ids.filter((id) => rows.every((row) => row.id !== id)));
  }
  const run = (work: () => Promise<unknown>) => void attempt.run(() => work().catch(fail));
  /** Ends an action: shows the rows that it left unchanged; without such rows, a toast. */
  async function finish(text: string, rows: readonly Refused[] = [], done = 0) {
    if (rows.length > 0) return showRefused(of, rows, done);
    toastSuccess(text);
    return onClose();
  }

  async function askAndRemove() {
    // The preview comes before the question, because rows that must stay prevent the deletion.
    const consequence = await call(preview, { body }).then(sayLoss, (error) => {
      if (refusedBy(error, ids).length > 0) throw error;
      return t.loss.unknown;
    });
    let refusal: unknown;
    const isDone = await confirm({
      text: t.bulk.remove[of](ids.length),
      consequence: Promise.resolve(consequence),
      yes: t.common.remove,
      danger: true,
      action: () =>
        remove.mutateAsync({ body }).catch((error) => {
          if (refusedBy(error, ids).length === 0) throw error;
          refusal = error;
        }),
    });
    if (refusal) throw refusal;
    if (isDone) await finish(t.alerts.deleted);
  }
  async function check() {
    const { queued, refused } = await probe.mutateAsync({ body });
    await finish(t.bulk.checking(queued.length), refused, queued.length);
  }
  async function remind() {
    const { reminded, refused } = await reminder.mutateAsync({ body });
    await finish(t.users.reminded(reminded.length), refused, reminded.length);
  }
  async function inviteAgain() {
    const { rows } = await client.fetchQuery({ ...queryOptions(companyUsers, {}), staleTime: 0 });
    const invited = rows.filter(({ id, invitation }) => invitation !== null && props.chosen.has(id));
    if (invited.length === 0) return toastFailure(t.bulk.nobodyInvited);
    const made = await again.mutateAsync({ body: { ids: invited.map(({ id }) => id) } });
    const { length: sent } = made.invitations;
    if (!made.mailed && sent > 0) setLinks(made);
    else await finish(t.invitations.sent(sent), made.refused, sent);
    return undefined;
  }

  // During an action the buttons keep the focus, and do nothing.
  const action = (label: string, Icon: typeof IconMail, onClick: () => void) => (
    <Button
      size="compact-sm"
      variant="subtle"
      color="gray"
      leftSection={<Icon size={16} />}
      aria-disabled={isBusy}
      onClick={() => isBusy || onClick()}
    >
      {label}
    </Button>
  );
  const page = list.rows.map(({ id }) => id);
  const hasMore = list.count > page.length;
  const isWhole = ids.length === list.count;
  return (
    <section aria-label={t.bulk.label} className={classes.bar} aria-busy={isBusy}>
      <output>{isWhole && hasMore ? t.bulk.allChosen(list.count) : t.bulk.chosen(ids.length)}</output>
      {(!isWhole || hasMore) && (
        <Anchor component="button" onClick={() => props.onKeep(page, !isWhole)}>
          {isWhole ? t.bulk.pageOnly : t.list.chooseAll(list.count)}
        </Anchor>
      )}
      <div className={classes.actions}>
        {of !== 'policy' && (
          <>
            {action(t.bulk.add[of], IconShieldPlus, () => setChange('add'))}
            {action(t.bulk.drop, IconShieldMinus, () => setChange('remove'))}
          </>
        )}
        {of === 'site' && action(t.bulk.check, IconShieldCheck, () => run(check))}
        {of === 'user' && action(t.bulk.again, IconMail, () => run(inviteAgain))}
        {of === 'user' && action(t.users.remind, IconPuzzle, () => run(remind))}
        {action(t.common.remove, IconTrash, () => run(askAndRemove))}
      </div>
      {isBusy ? <Loader size={28} /> : <CloseButton aria-label={t.bulk.clear} onClick={onClose} />}
      {change && of !== 'policy' && (
        <MembersDialog
          {...{ of, ids, change }}
          onRefused={fail}
          onClose={(saved) => {
            setChange(null);
            if (saved) onClose();
          }}
        />
      )}
      {links && (
        <InvitationLinks
          made={links}
          onClose={() => {
            setLinks(null);
            if (links.refused.length > 0) void showRefused(of, links.refused, links.invitations.length);
          }}
        />
      )}
    </section>
  );
}
