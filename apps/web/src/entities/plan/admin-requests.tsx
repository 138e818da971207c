import { Button, Group, NativeSelect } from '@mantine/core';
import { RequestState, type TariffRequest } from '@propusk/contract/tariff';
import * as t from '@propusk/phrases/console';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { List } from '../../api/list.ts';
import { Card } from '../../ui/card.tsx';
import { lazyDialog } from '../../ui/lazy.tsx';
import { Failed, type FailedQuery } from '../../ui/state.tsx';
import classes from '../company/platform.module.css';
import type { AnswerProps } from './answer-dialog.tsx';
import { RequestList } from './request-list.tsx';

const AnswerDialog = lazyDialog(() => import('./answer-dialog.tsx'), 'AnswerDialog');

/** A list of all companies' requests in the chosen state, at most the newest 100, with a select of the state. */
export function RequestsCard(props: {
  query: FailedQuery & { data: List<TariffRequest> | undefined };
  state: RequestState;
  onState: (state: RequestState) => void;
}) {
  const { query, state } = props;
  return (
    <Card title={t.requests.title}>
      <NativeSelect
        className={classes.filter}
        aria-label={t.requests.filter}
        value={state}
        data={RequestState.options.map((value) => ({ value, label: t.requests.states[value] }))}
        onChange={({ currentTarget }) => props.onState(currentTarget.value as RequestState)}
      />
      {query.data === undefined ? (
        <Failed query={query} title={t.requests.failed} />
      ) : query.data.count === 0 ? (
        <p className={classes.none}>{t.requests.none}</p>
      ) : (
        <AdminRequests requests={query.data.rows} ofMany />
      )}
    </Card>
  );
}

/** Requests that an ADMIN answers or refuses. With `ofMany`, each names its company. */
export function AdminRequests(props: { requests: readonly TariffRequest[]; ofMany?: boolean }) {
  const [answer, setAnswer] = useState<Omit<AnswerProps, 'onClose'> | null>(null);
  return (
    <>
      <RequestList
        requests={props.requests}
        sender
        {...(props.ofMany && {
          company: ({ company: { id, name } }) => (
            <Link to="/dashboard/admin/companies/$id" params={{ id: String(id) }} className={classes.company}>
              {name}
            </Link>
          ),
        })}
        actions={(request) => (
          <Group gap="xs">
            <Button size="xs" onClick={() => setAnswer({ state: 'answered', request })}>
              {t.requests.answer}
            </Button>
            <Button size="xs" variant="default" onClick={() => setAnswer({ state: 'refused', request })}>
              {t.requests.refuse}
            </Button>
          </Group>
        )}
      />
      {answer && <AnswerDialog {...answer} onClose={() => setAnswer(null)} />}
    </>
  );
}
