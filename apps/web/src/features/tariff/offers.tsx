import { Button, Text, Title, VisuallyHidden } from '@mantine/core';
import type { Named } from '@propusk/contract/fields';
import type { CompanyPlan } from '@propusk/contract/plans';
import type { Tariff } from '@propusk/contract/tariff';
import * as t from '@propusk/phrases/console';
import { IconAlertTriangle, IconCircleCheckFilled, IconMinus } from '@tabler/icons-react';
import { features, limited, priceOf } from '../../entities/plan/plan-text.ts';
import card from '../../ui/card.module.css';
import classes from './tariff.module.css';

/** The offered plans side by side, each with what the company has beyond its limits. */
export function Offers(props: { tariff: Tariff; onRequest: (plan: Named) => void }) {
  const { offers, plan: present, used, requests } = props.tariff;
  const isAsked = requests.some(({ kind, state }) => kind === 'plan' && state === 'open');
  return (
    <section>
      <Title order={2}>{t.tariff.offers}</Title>
      <Text c="dimmed" mt={4} id="offers-hint">
        {isAsked ? t.requests.asked : t.tariff.offersHint}
      </Text>
      <ul className={classes.offers}>
        {offers.map((plan) => {
          const isPresent = plan.id === present.id;
          const facts = factsOf(plan, used);
          const stops = !plan.paidProxies && used.paidProxies > 0;
          const exceeds = facts.some(({ over, kind }) => over > 0 && kind !== 'paidProxies');
          return (
            <li
              key={plan.id}
              className={`${card.box} ${classes.offer}`}
              data-present={isPresent || undefined}
            >
              <h3>{plan.name}</h3>
              <p className={classes.price}>{priceOf(plan)}</p>
              <ul className={classes.facts}>{facts.map(Fact)}</ul>
              {exceeds && <p className={classes.over}>{t.tariff.over}</p>}
              {stops && !isPresent && <p className={classes.over}>{t.tariff.overPaid}</p>}
              <Button
                variant="default"
                disabled={isPresent || isAsked}
                aria-label={isPresent ? undefined : t.tariff.requestOf(plan.name)}
                aria-describedby="offers-hint"
                onClick={() => props.onRequest(plan)}
              >
                {isPresent ? t.tariff.present : t.tariff.request}
              </Button>
            </li>
          );
        })}
      </ul>
    </section>
  );
}

interface Fact {
  kind: keyof Tariff['used'];
  text: string;
  has: boolean;
  /** The number of rows that the company has, when they are more than the plan allows; otherwise 0. */
  over: number;
}

/** What a plan includes, and which of its limits the company exceeds. */
function factsOf(plan: CompanyPlan, used: Tariff['used']): Fact[] {
  return [
    ...limited.map((kind) => {
      const limit = plan[kind];
      return {
        kind,
        text: t.plan.limit(kind, limit),
        has: true,
        over: limit !== null && used[kind] > limit ? used[kind] : 0,
      };
    }),
    ...features.map((kind) => ({
      kind,
      text: t.plan.names[kind],
      has: plan[kind],
      over: plan[kind] ? 0 : used[kind],
    })),
  ];
}

function Fact({ kind, text, has, over }: Fact) {
  const Icon = over > 0 ? IconAlertTriangle : has ? IconCircleCheckFilled : IconMinus;
  return (
    <li key={kind} data-over={over > 0 || undefined} data-lacks={!has || undefined}>
      <Icon size={18} aria-hidden />
      <span>
        {text}
        {!has && <VisuallyHidden>: {t.common.no}</VisuallyHidden>}
        {over > 0 && ` (${t.plan.have(over)})`}
      </span>
    </li>
  );
}
