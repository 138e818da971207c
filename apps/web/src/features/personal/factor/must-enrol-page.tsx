import { Button } from '@mantine/core';
import * as t from '@propusk/phrases/console';
import { useQueryClient } from '@tanstack/react-query';
import { useMe } from '../../../entities/user/me.tsx';
import { unsaved } from '../../../forms/unsaved.ts';
import { Standalone } from '../../../frame/standalone.tsx';
import { FormCard } from '../../../ui/card.tsx';
import { Questions } from '../../../ui/questions.tsx';
import { Toasts } from '../../../ui/toasts.tsx';
import { usePageTitle } from '../../../ui/use-page-title.ts';
import { Enrolment } from './enrolment.tsx';

/**
 * Replaces the dashboard for a user without a second factor, if the company requires one.
 * @param props.onDone called after the signed-in user was refetched
 */
export function MustEnrolPage({ onDone, onLeave }: { onDone: () => void; onLeave: () => void }) {
  const client = useQueryClient();
  const { company } = useMe();
  usePageTitle(t.factor.mustTitle);
  return (
    <Standalone
      width={560}
      end={
        <Button variant="subtle" color="gray" onClick={async () => (await unsaved.mayLeave()) && onLeave()}>
          {t.shell.exit}
        </Button>
      }
    >
      <h1>{t.factor.mustTitle}</h1>
      <p>{t.factor.must(company?.companyName ?? '')}</p>
      <FormCard title={t.factor.title} lead={t.factor.lead}>
        <Enrolment onDone={() => client.invalidateQueries().then(onDone)} />
      </FormCard>
      <Questions />
      <Toasts />
    </Standalone>
  );
}
