import { Button, Text } from '@mantine/core';
import { type Evidence, evidence } from '@propusk/contract/protection';
import { listSites } from '@propusk/contract/sites';
import { unicodeHost } from '@propusk/contract/unicode-host';
import * as t from '@propusk/phrases/console';
import { IconCircleCheck, IconCircleDashed } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useEffect, useState } from 'react';
import { queryOptions } from '../../api/queries.ts';
import { useOpen } from '../../dialog-route.tsx';
import { firstSteps } from '../../state.ts';
import classes from './first-steps.module.css';
import page from './page.module.css';

/** Poll interval of the owner's progress through the first steps, in milliseconds. */
const WATCH_MS = 5_000;

/** The steps in order, each with the `Evidence` field that completes it. */
const steps = [
  ['site', 'siteExists'],
  ['policy', 'policyHasSite'],
  ['person', 'userHasPolicy'],
  ['lock', 'lockFound'],
  ['check', 'lockVerified'],
  ['visit', 'visited'],
] as const satisfies [string, keyof Evidence][];
type Key = (typeof steps)[number][0];

/**
 * A card above the list of sites with the first steps of a new company. The server reports which steps are done. The owner
 * may fold the card. After the last step the card disappears for the whole company.
 */
export function FirstSteps() {
  const [folded, setFolded] = useState(() => firstSteps.read() === 'folded');
  const [chosen, setChosen] = useState<Key | null>(null);
  const [began, setBegan] = useState(false);
  const query = useQuery({
    ...queryOptions(evidence, {}),
    refetchInterval: ({ state }) => !folded && state.data?.firstStepsDone !== true && WATCH_MS,
  });
  const { data } = query;
  const ended = data?.firstStepsDone === true;
  if (data && !ended && !began) setBegan(true);
  // On the next visit, the page reserves space for the card before the server replies.
  useEffect(() => firstSteps.store(ended ? 'done' : folded ? 'folded' : null), [ended, folded]);
  if (data === undefined && query.error) {
    return (
      <Text component="section" mb="sm" c="dimmed" aria-label={t.firstSteps.title}>
        {t.firstSteps.failed}
        <Button
          variant="subtle"
          size="compact-sm"
          loading={query.isFetching}
          onClick={() => void query.refetch()}
        >
          {t.common.retry}
        </Button>
      </Text>
    );
  }
  if (data === undefined) return <div className={page.steps} data-folded={folded || undefined} />;
  // A card that was shown before the last step stays, with a success message, until the user leaves the page.
  if (ended && !began) return null;

  const doneCount = steps.filter(([, done]) => data[done]).length;
  const [current = null] = steps.find(([, done]) => !data[done]) ?? [];
  const shown = ended ? null : (chosen ?? current);
  return (
    <section
      className={`${page.steps} ${classes.card}`}
      data-folded={folded || undefined}
      aria-label={t.firstSteps.title}
    >
      <button
        type="button"
        className={classes.head}
        aria-expanded={!folded}
        onClick={() => setFolded(!folded)}
      >
        <Text span fw={600}>
          {t.firstSteps.title}
        </Text>
        <span className={classes.count}>{t.firstSteps.count(doneCount, steps.length)}</span>
      </button>
      {!folded && (
        <>
          <ol className={classes.steps}>
            {steps.map(([key, done]) => (
              <Step
                key={key}
                name={key}
                done={data[done]}
                current={key === current}
                shown={key === shown}
                onChoose={() => setChosen(key)}
              />
            ))}
          </ol>
          <div className={classes.explained}>
            <p>{shown === null ? t.firstSteps.ended : t.firstSteps.steps[shown].text}</p>
            {shown !== null && <Action step={shown} />}
          </div>
        </>
      )}
    </section>
  );
}

function Step(props: { name: Key; done: boolean; current: boolean; shown: boolean; onChoose: () => void }) {
  const { name, done, current } = props;
  const Icon = done ? IconCircleCheck : IconCircleDashed;
  const { title } = t.firstSteps.steps[name];
  return (
    <li>
      <button
        type="button"
        className={classes.step}
        data-done={done || undefined}
        data-shown={props.shown || undefined}
        aria-current={current ? 'step' : undefined}
        aria-label={done ? t.firstSteps.done(title) : title}
        onClick={props.onChoose}
      >
        <Icon size={18} stroke={1.75} aria-hidden />
        {title}
      </button>
    </li>
  );
}

/** The dialogs in which the owner does a step for a site. */
const dialogs = { policy: 'edit', lock: 'lock', check: 'check' } as const;

/** The button that starts a step. The steps policy, lock and check are about the first site that is not protected. */
function Action({ step }: { step: Key }): ReactNode {
  const open = useOpen();
  const ofSite = step === 'policy' || step === 'lock' || step === 'check';
  const { data } = useQuery({ ...queryOptions(listSites, {}), enabled: ofSite });
  const site = data?.rows.find(({ protection }) => protection?.verdict !== 'protected');
  const button = (label: string, ...to: Parameters<typeof open>) => (
    <Button variant="default" size="compact-md" {...open(...to)}>
      {label}
    </Button>
  );
  if (step === 'site') return button(t.firstSteps.addSite, '/dashboard/creator/domains/new');
  if (step === 'person')
    return button(t.firstSteps.invite, '/dashboard/creator/users/invite', undefined, { isOver: false });
  if (ofSite) {
    const label = site && t.firstSteps.ofSite[step](unicodeHost(site.address));
    const to = `/dashboard/creator/domains/$id/${dialogs[step]}` as const;
    return label && button(label, to, site.id, { begins: true });
  }
  return (
    <Button variant="default" size="compact-md" component="a" href="/extension/pair">
      {t.firstSteps.download}
    </Button>
  );
}
