import { Button } from '@mantine/core';
import { listSessions, type Session } from '@propusk/contract/sessions';
import * as t from '@propusk/phrases/console';
import { IconDeviceDesktop, IconDeviceMobile, IconPuzzle } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { queryOptions } from '../../api/queries.ts';
import { Card } from '../../ui/card.tsx';
import { formatMoment } from '../../ui/day.tsx';
import { Loaded } from '../../ui/loaded.tsx';
import { Notice } from '../../ui/notice.tsx';
import { Tag } from '../../ui/tags.tsx';
import classes from './sessions-card.module.css';
import { useEndSessions } from './use-end-sessions.ts';

/** The user's sessions, and a way to end each. */
export function SessionsCard() {
  const query = useQuery(queryOptions(listSessions, {}));
  const { end, endOthers } = useEndSessions(query.refetch);
  const card = { title: t.sessions.title, lead: t.sessions.hint };
  if (!query.data) {
    return (
      <Card {...card}>
        <Loaded query={query} title={t.sessions.failed} height={100} mx="lg" mb="lg" w="auto" />
      </Card>
    );
  }
  const { rows, count } = query.data;
  return (
    <Card
      {...card}
      footer={
        <>
          {count > rows.length && <p>{t.sessions.some(rows.length, count)}</p>}
          {count > 1 ? (
            <Button variant="default" onClick={endOthers}>
              {t.sessions.endOthers}
            </Button>
          ) : (
            <p>{t.sessions.alone}</p>
          )}
        </>
      }
    >
      <ul aria-label={t.sessions.list}>
        {rows.map((session) => (
          <Row key={session.id} session={session} onEnd={end} />
        ))}
      </ul>
    </Card>
  );
}

function Row(props: { session: Session; onEnd: (session: Session, name: string) => void }) {
  const { session, onEnd } = props;
  const { client, current, address, createdAt, lastSeenAt, version, proxyHeldBy } = session;
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
          {version && <span>{t.sessions.version(version)}</span>}
        </p>
        {proxyHeldBy && <Notice kind="warning">{t.sessions.proxyHeld[proxyHeldBy]}</Notice>}
      </div>
      {/* The current session has no button: the header's sign-out button ends it. */}
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
