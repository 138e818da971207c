import { Button, VisuallyHidden } from '@mantine/core';
import type { Named } from '@propusk/contract/fields';
import type { Plan } from '@propusk/contract/plans';
import type { Tariff } from '@propusk/contract/tariff';
import * as t from '@propusk/phrases/console';
import { IconAlertTriangle, IconCheck, IconMinus } from '@tabler/icons-react';
import { features, limited, priceOf } from '../../common/plan-text.ts';
import classes from './tariff.module.css';

/** The offered plans side by side, each with what would no longer fit. */
export function Offers(props: { tariff: Tariff; onRequest: (plan: Named) => void }) {
  const { offers, plan: present, used } = props.tariff;
  return (
    <section>
      <h2 className={classes.title}>{t.tariff.offers}</h2>
      <p className={classes.hint}>{t.tariff.offersHint}</p>
      <ul className={classes.offers}>
        {offers.map((plan) => {
          const facts = factsOf(plan, used);
          return (
            <li key={plan.id} className={classes.offer} data-present={plan.id === present.id || undefined}>
              <h3>{plan.name}</h3>
              <p className={classes.price}>{priceOf(plan)}</p>
              <ul className={classes.facts}>{facts.map(Fact)}</ul>
              {facts.some(({ over }) => over > 0) && <p className={classes.over}>{t.tariff.over}</p>}
              <Button
                variant={plan.id === present.id ? 'default' : 'light'}
                disabled={plan.id === present.id}
                aria-label={plan.id === present.id ? undefined : t.tariff.requestOf(plan.name)}
                onClick={() => props.onRequest(plan)}
              >
                {plan.id === present.id ? t.tariff.present : t.tariff.request}
              </Button>
            </li>
          );
        })}
      </ul>
    </section>
  );
}

interface Fact {
  text: string;
  has: boolean;
  /** The number of rows that the company has, when they are more than the plan allows; otherwise 0. */
  over: number;
}

/** What a plan includes, and what of it the company exceeds. */
function factsOf(plan: Plan, used: Tariff['used']): Fact[] {
  return [
    ...limited.map((kind) => {
      const limit = plan[kind];
      return {
        text: t.plan.limit(kind, limit),
        has: true,
        over: limit !== null && used[kind] > limit ? used[kind] : 0,
      };
    }),
    ...features.map((kind) => ({
      text: t.plan.names[kind],
      has: plan[kind],
      over: plan[kind] ? 0 : used[kind],
    })),
  ];
}

function Fact({ text, has, over }: Fact) {
  const Icon = over > 0 ? IconAlertTriangle : has ? IconCheck : IconMinus;
  return (
    <li key={text} data-over={over > 0 || undefined} data-lacks={!has || undefined}>
      <Icon size={18} aria-hidden />
      <span>
        {text}
        {!has && <VisuallyHidden>: {t.common.no}</VisuallyHidden>}
        {over > 0 && ` (${t.plan.have(over)})`}
      </span>
    </li>
  );
}
