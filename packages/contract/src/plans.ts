import * as z from 'zod/mini';
import { endpoint } from './endpoint.ts';
import { Id, listOf, text, versioned } from './fields.ts';
import { limits } from './limits.ts';
import { currencies } from './reference/currencies.ts';
import { ShownText } from './shown-text.ts';

/** The letter code of a currency (ISO 4217). @example RUB */
export const Currency = z.enum(currencies);

/** An amount of money. */
export const Price = z.object({
  /** The amount in the smallest unit of the currency, such as kopecks. @example 149000 */
  amount: z.int().check(z.gte(1), z.lte(1_000_000_000_000)),
  currency: Currency,
});
export type Price = z.infer<typeof Price>;

/** The maximum number of entities of one kind that a company may have. @example 100 */
const Limit = z.int().check(z.gte(1), z.lte(limits.objectsPerCompany));

/** The features that a plan includes. */
const planFields = {
  /** Whether companies may have paid proxies. */
  paidProxies: z.boolean(),
  /** Whether policies may open every site. */
  allSites: z.boolean(),
  /**
   * Whether owners see the plan among the offers. A plan that is not offered (archived) stays in force for
   * companies that have it.
   */
  offered: z.boolean(),
  /** Whether this is the trial plan. At most one plan is the trial plan. */
  trial: z.boolean(),
};

/** A plan as a company sees it: its price, limits and features. */
export const CompanyPlan = z.object({
  id: Id,
  /** The name of the plan. @example Team */
  name: ShownText,
  /** The monthly price; null if the plan has no price. */
  price: z.nullable(Price),
  /** The maximum number of users of a company; if null, the product's limit applies. */
  people: z.nullable(Limit),
  /** The maximum number of sites of a company; if null, the product's limit applies. */
  sites: z.nullable(Limit),
  /** The maximum number of a company's own proxies; paid proxies do not count. If null, the product's limit applies. */
  proxies: z.nullable(Limit),
  ...planFields,
  /** Whether this is the standard plan, which companies without another plan have. Exactly one plan is the standard plan. */
  standard: z.boolean(),
  ...versioned,
});
export type CompanyPlan = z.infer<typeof CompanyPlan>;

/** A plan of the platform. */
export const Plan = z.extend(CompanyPlan, {
  /** The number of companies that have this plan: assigned, in force, or both. */
  companies: z.int(),
});
export type Plan = z.infer<typeof Plan>;

/** A plan to create or to replace. The price is optional. If a limit is absent, the product's limit applies. */
export const PlanInput = z.object({
  /** The name of the plan. @example Team */
  name: text(1, 60),
  price: z.optional(Price),
  /** The maximum number of users of a company. */
  people: z.optional(Limit),
  /** The maximum number of sites of a company. */
  sites: z.optional(Limit),
  /** The maximum number of a company's own proxies. */
  proxies: z.optional(Limit),
  ...planFields,
});
export type PlanInput = z.infer<typeof PlanInput>;

/** List the plans of the platform. */
export const listPlans = endpoint('GET /plans', { access: ['ADMIN'], reply: listOf(Plan) });

/** Create a plan. A new trial plan replaces the previous trial plan. */
export const createPlan = endpoint('POST /plans', {
  access: ['ADMIN'],
  body: PlanInput,
  reply: Plan,
  status: 201,
  versioned: true,
  errors: ['too_many_objects', 'plan_exists'],
});

/**
 * Replace a plan. Companies that exceed a lower limit keep what they have. Companies that lose paid proxies keep them for 14 days.
 * The standard plan cannot be archived.
 */
export const updatePlan = endpoint('PUT /plans/:id', {
  access: ['ADMIN'],
  body: PlanInput,
  reply: Plan,
  versioned: true,
  errors: ['not_found', 'plan_exists', 'standard_plan'],
});

/** A company with a plan. */
export const PlanCompany = z.object({
  id: Id,
  /** The name of the company. */
  name: ShownText,
  /**
   * The limits of the plan that the company exceeds, and the features that the company uses but the plan
   * lacks.
   * @example ["people"]
   */
  beyond: z.array(z.enum(['people', 'sites', 'proxies', 'paidProxies', 'allSites'])),
});
export type PlanCompany = z.infer<typeof PlanCompany>;

/**
 * List at most 100 companies that have this plan. For each company, the reply names the limits in the request body that
 * the company exceeds. The console makes this call before it saves the changed plan.
 */
export const planCompanies = endpoint('POST /plans/:id/companies', {
  access: ['ADMIN'],
  body: PlanInput,
  reply: listOf(PlanCompany),
  errors: ['not_found'],
});
