import { Button, Skeleton } from '@mantine/core';
import { listSessions, type Session } from '@propusk/contract/sessions';
import * as t from '@propusk/phrases/console';
import { IconCloudOff, IconDeviceDesktop, IconDeviceMobile, IconPuzzle } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useId } from 'react';
import { queryOptions } from '../../api/queries.ts';
import { formatMoment } from '../../ui/day.tsx';
import { State } from '../../ui/state.tsx';
import { Tag } from '../../ui/tags.tsx';
import classes from './sessions-card.module.css';
import { useEndSessions } from './use-end-sessions.ts';

/** The user's sessions, and a way to end each. */
export function SessionsCard() {
  const { data, error, isFetching, refetch } = useQuery(queryOptions(listSessions, {}));
  const { end, endOthers } = useEndSessions(refetch);
  if (error && !data) {
    return (
      <Card>
        <State
          alert
          icon={<IconCloudOff size={24} />}
          title={t.sessions.failed}
          hint={error.message}
          action={
            <Button variant="default" loading={isFetching} onClick={() => refetch()}>
              {t.common.retry}
            </Button>
          }
        />
      </Card>
    );
  }
  if (!data) {
    return (
      <Card>
        <div className={classes.bones} aria-hidden="true">
          <Skeleton height={44} />
          <Skeleton height={44} />
        </div>
      </Card>
    );
  }
  const { rows, count } = data;
  return (
    <Card>
      <ul className={classes.list} aria-label={t.sessions.list}>
        {rows.map((session) => (
          <Row key={session.id} session={session} onEnd={end} />
        ))}
      </ul>
      <footer className={classes.footer}>
        {count > rows.length && <p>{t.sessions.some(rows.length, count)}</p>}
        {count > 1 ? (
          <Button variant="default" onClick={endOthers}>
            {t.sessions.endOthers}
          </Button>
        ) : (
          <p>{t.sessions.alone}</p>
        )}
      </footer>
    </Card>
  );
}

function Card({ children }: { children: ReactNode }) {
  const title = useId();
  return (
    <section className={classes.card} aria-labelledby={title}>
      <header className={classes.header}>
        <h2 id={title}>{t.sessions.title}</h2>
        <p>{t.sessions.hint}</p>
      </header>
      {children}
    </section>
  );
}

function Row(props: { session: Session; onEnd: (session: Session, name: string) => void }) {
  const { session, onEnd } = props;
  const { client, current, address, createdAt, lastSeenAt } = session;
  const agent = session.agent ?? t.sessions.unknownAgent;
  const name = address === null ? agent : `${agent}, ${address}`;
  const Device = /(Android|iOS)$/.test(agent) ? IconDeviceMobile : IconDeviceDesktop;
  const Icon = client === 'extension' ? IconPuzzle : Device;
  return (
    <li className={classes.row}>
      <span className={classes.icon} aria-hidden="true">
        <Icon size={20} />
      </span>
      <div className={classes.text}>
        <p className={classes.name}>
          <span>{agent}</span>
          {address !== null && <span className={classes.address}>{address}</span>}
          {current && <Tag tone="accent">{t.sessions.current}</Tag>}
          {client === 'extension' && <Tag>{t.sessions.extension}</Tag>}
        </p>
        <p className={classes.facts}>
          <span>
            {t.sessions.opened}: <time dateTime={createdAt}>{formatMoment(createdAt)}</time>
          </span>
          <span>
            {t.sessions.seen}:{' '}
            {current ? t.sessions.seenNow : <time dateTime={lastSeenAt}>{formatMoment(lastSeenAt)}</time>}
          </span>
        </p>
      </div>
      {/* The current session ends by the button at the top. */}
      {!current && (
        <Button
          className={classes.end}
          variant="subtle"
          size="compact-sm"
          aria-label={t.sessions.endOne(name)}
          onClick={() => onEnd(session, name)}
        >
          {t.sessions.end}
        </Button>
      )}
    </li>
  );
}
