import { Button, Group, Stack, Text } from '@mantine/core';
import { getSecondFactor, type SecondFactor } from '@propusk/contract/second-factor';
import * as t from '@propusk/phrases/console';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, type RefObject, useEffect, useRef, useState } from 'react';
import { queryOptions } from '../../../api/queries.ts';
import { useMe } from '../../../entities/user/me.tsx';
import { FACTOR_HASH } from '../../../paths.ts';
import { FormCard } from '../../../ui/card.tsx';
import { formatMoment } from '../../../ui/day.tsx';
import { Loaded } from '../../../ui/loaded.tsx';
import { Notice } from '../../../ui/notice.tsx';
import { toastSuccess } from '../../../ui/toast.ts';
import { ConfirmFactor } from './confirm-factor.tsx';
import { Enrolment } from './enrolment.tsx';

/** Warn when no more recovery codes than this are left. */
const FEW = 3;

type Mode = 'enrol' | 'renew' | 'off' | null;

/** The signed-in user's second factor: its state and its actions. */
export function SecondFactorCard() {
  const query = useQuery(queryOptions(getSecondFactor, {}));
  if (query.data) return <Factor factor={query.data} />;
  return (
    <Card>
      <Loaded query={query} title={t.factor.failed} height={36} width={220} />
    </Card>
  );
}

function Factor({ factor }: { factor: SecondFactor }) {
  const { on, since, recoveryCodes } = factor;
  const client = useQueryClient();
  const required = useMe().company?.secondFactorRequired;
  const fromLink = window.location.hash === `#${FACTOR_HASH}`;
  const [mode, setMode] = useState<Mode>(fromLink && !on ? 'enrol' : null);
  const card = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (fromLink) card.current?.scrollIntoView({ block: 'center' });
  }, [fromLink]);
  const close = () => setMode(null);

  async function done() {
    if (mode === 'enrol') toastSuccess(t.factor.on);
    // The signed-in user's data contains the state of the second factor.
    await client.invalidateQueries();
    close();
  }

  // Ignores refetched data until the user is done: the recovery codes are shown only once.
  if (mode === 'enrol') {
    return (
      <Card of={card}>
        <Enrolment onDone={done} onCancel={close} />
      </Card>
    );
  }
  if (mode !== null) {
    return (
      <Card
        of={card}
        title={t.factor.proveTitle[mode]}
        lead={required && mode === 'off' ? t.factor.offRequired : t.factor.proveLead[mode]}
      >
        <ConfirmFactor what={mode} onDone={done} onCancel={close} />
      </Card>
    );
  }
  return (
    <Card of={card}>
      {on ? (
        <Stack gap="md">
          <Text>
            {since !== null && t.factor.since(formatMoment(since))} {t.factor.codesLeft(recoveryCodes)}
          </Text>
          {recoveryCodes < FEW && <Notice kind="warning">{t.factor.fewCodes}</Notice>}
          <Group gap="xs">
            <Button variant="default" onClick={() => setMode('renew')}>
              {t.factor.newCodes}
            </Button>
            <Button variant="default" onClick={() => setMode('off')}>
              {t.factor.turnOff}
            </Button>
          </Group>
        </Stack>
      ) : (
        <Button onClick={() => setMode('enrol')}>{t.factor.turnOn}</Button>
      )}
    </Card>
  );
}

interface CardProps {
  title?: string;
  lead?: string;
  of?: RefObject<HTMLDivElement | null>;
  children: ReactNode;
}

function Card({ title = t.factor.title, lead = t.factor.lead, of, children }: CardProps) {
  return (
    <div ref={of} id={FACTOR_HASH}>
      <FormCard title={title} lead={lead}>
        {children}
      </FormCard>
    </div>
  );
}
