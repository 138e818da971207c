import { Anchor, Group } from '@mantine/core';
import type { RequestState, TariffRequest } from '@propusk/contract/tariff';
import * as t from '@propusk/phrases/console';
import type { ReactNode } from 'react';
import { Day } from '../../ui/day.tsx';
import { Tag, type Tone } from '../../ui/tags.tsx';
import classes from './request-list.module.css';

const tones: Record<RequestState, Tone> = {
  open: 'special',
  answered: 'accent',
  refused: 'bad',
  withdrawn: 'neutral',
};

/**
 * A list of tariff requests, each with its state, message and reply.
 * @param props.company renders the company of a request, in a list of several companies' requests
 * @param props.actions renders the buttons of an open request
 */
export function RequestList(props: {
  requests: readonly TariffRequest[];
  sender?: boolean;
  company?: (request: TariffRequest) => ReactNode;
  actions: (request: TariffRequest) => ReactNode;
}) {
  return (
    <ul aria-label={t.requests.title}>
      {props.requests.map((request) => (
        <li key={request.id} className={classes.request}>
          <div className={classes.text}>
            <Group gap="2px 8px">
              {props.company?.(request)}
              <strong>{requestName(request)}</strong>
              <Tag tone={tones[request.state]}>{t.requests.states[request.state]}</Tag>
            </Group>
            <Group component="p" gap="0 12px" c="dimmed">
              <Day iso={request.createdAt} />
              {props.sender && <Anchor href={`mailto:${request.email}`}>{request.email}</Anchor>}
              {props.sender && request.phone && (
                <Anchor href={`tel:${request.phone}`}>{t.shownPhone(request.phone)}</Anchor>
              )}
            </Group>
            {request.text && <p>{request.text}</p>}
            {request.reply && (
              <p className={classes.reply}>
                {t.requests.reply}: {request.reply}
              </p>
            )}
          </div>
          {request.state === 'open' && props.actions(request)}
        </li>
      ))}
    </ul>
  );
}

/** A phrase that says what a tariff request asks for. */
export function requestName({ kind, plan }: TariffRequest): string {
  return t.requests.kinds[kind](plan?.name ?? '');
}
