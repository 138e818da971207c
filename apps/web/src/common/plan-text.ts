import type { Plan } from '@propusk/contract/plans';
import * as t from '@propusk/phrases/console';
import { formatDay } from '../ui/day.tsx';
import { formatPrice } from './money.ts';

/** The kinds of rows that a plan limits. */
export const limited = ['people', 'sites', 'proxies'] as const;

/** What a plan either includes or does not. */
export const features = ['paidProxies', 'allSites'] as const;

/** The price of a plan, as a phrase. */
export function priceOf({ price }: Pick<Plan, 'price'>): string {
  return t.plan.price(price && formatPrice(price));
}

const DAY_MS = 86_400_000;

/** Renders an end with its day and the number of days until then, begun days included; 0 when it has passed. */
export function untilPhrase(phrase: (day: string, left: number) => string, iso: string): string {
  return phrase(formatDay(iso), Math.max(0, Math.ceil((Date.parse(iso) - Date.now()) / DAY_MS)));
}
