import type { CompanyPlan, Plan } from '@propusk/contract/plans';
import type { Tariff } from '@propusk/contract/tariff';
import * as t from '@propusk/phrases/console';
import { formatDay } from '../../ui/day.tsx';
import { formatPrice } from './money.ts';

/** The kinds of rows that a plan limits. */
export const limited = ['people', 'sites', 'proxies'] as const;

/** The features that a plan can include. */
export const features = ['paidProxies', 'allSites'] as const;

/** The price of a plan, as a phrase. */
export function priceOf({ price }: Pick<Plan, 'price'>): string {
  return t.plan.price(price && formatPrice(price));
}

/** The trial that an owner may begin: the name of its plan, and what it adds to the present plan. */
export interface Trial {
  name: string;
  gains: string[];
}

/** The trial that a company may begin; null if none, or if it does not improve the plan. */
export function trialOf({
  plan,
  trial,
  trialOffered,
}: Pick<Tariff, 'plan' | 'trial' | 'trialOffered'>): Trial | null {
  if (!trialOffered || trial === null) return null;
  const gains = gainsOf(plan, trial);
  return gains.length > 0 ? { name: trial.name, gains } : null;
}

/** Describes what another plan adds to the present plan. Empty if the other plan lacks a feature or has a lower limit. */
function gainsOf(present: CompanyPlan, other: CompanyPlan): string[] {
  const more = (kind: (typeof limited)[number]) =>
    (other[kind] ?? Number.POSITIVE_INFINITY) - (present[kind] ?? Number.POSITIVE_INFINITY);
  if (limited.some((kind) => more(kind) < 0) || features.some((kind) => present[kind] && !other[kind]))
    return [];
  return [
    ...limited.filter((kind) => more(kind) > 0).map((kind) => t.plan.limit(kind, other[kind])),
    ...features.filter((kind) => other[kind] && !present[kind]).map((kind) => t.plan.names[kind]),
  ];
}

const DAY_MS = 86_400_000;

/** Renders a sentence about the end of a plan or trial: its day, and the days until then, rounded up, or 0 if it has passed. */
export function untilPhrase(phrase: (day: string, left: number) => string, iso: string): string {
  return phrase(formatDay(iso), Math.max(0, Math.ceil((Date.parse(iso) - Date.now()) / DAY_MS)));
}
