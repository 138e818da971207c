import * as z from 'zod/mini';
import { endpoint } from './endpoint.ts';
import {
  Email,
  GivenDate,
  Id,
  IsoDate,
  ListQuery,
  listOf,
  Named,
  Phone,
  paragraphs,
  text,
  Version,
} from './fields.ts';
import { CompanyPlan } from './plans.ts';
import { ShownEmail } from './shown-email.ts';
import { ShownText } from './shown-text.ts';

/** The contact of the platform's operator. Owners ask this contact for plans and paid proxies. */
export const Contact = z.object({
  /** The name of the contact: a manager, or the operator. */
  name: ShownText,
  /** The phone of the contact (E.164); empty for none. @example "+79161234567" */
  phone: z.string(),
  /**
   * The mail address of the contact; empty for none. The api mails owners' tariff requests to this address.
   * @example sales@propusk.example
   */
  email: ShownEmail,
  /** The Telegram name of the contact, without the @; empty for none. @example propusk_sales */
  telegram: z.string(),
  version: Version,
});
export type Contact = z.infer<typeof Contact>;

const withoutAt = z.overwrite((name: string) => name.replace(/^@/, ''));
const TelegramName = z.string().check(z.trim(), withoutAt, z.regex(/^[A-Za-z]\w{3,31}$/));

/** A contact to store. An empty field removes the stored value. */
export const ContactInput = z.object({
  /** The name of the contact: a manager, or the operator. */
  name: z._default(text(0, 60), ''),
  /** The phone of the contact (E.164). @example "+79161234567" */
  phone: z._default(z.union([z.literal(''), Phone]), ''),
  /** The mail address of the contact. @example sales@propusk.example */
  email: z._default(z.union([z.literal(''), Email]), ''),
  /** The Telegram name of the contact. A leading @ is removed. @example propusk_sales */
  telegram: z._default(z.union([z.literal(''), TelegramName]), ''),
});
export type ContactInput = z.infer<typeof ContactInput>;

/** The subject of a request: a plan, a paid proxy, or the trial. @example plan */
export const RequestKind = z.enum(['plan', 'paid_proxy', 'trial']);
export type RequestKind = z.infer<typeof RequestKind>;

/** The state of a tariff request. @example open */
export const RequestState = z.enum(['open', 'answered', 'refused', 'withdrawn']);
export type RequestState = z.infer<typeof RequestState>;

/** A tariff request from an owner to the platform's operator. */
export const TariffRequest = z.object({
  id: Id,
  kind: RequestKind,
  state: RequestState,
  /** The requested plan; null unless `kind` is `plan`. */
  plan: z.nullable(Named),
  /** The company that made the request. */
  company: Named,
  /** The email address of the owner who made the request. @example anna@romashka.ru */
  email: ShownEmail,
  /** The company's contact phone; empty for none. */
  phone: z.string(),
  /** The owner's message to the operator; may be empty. */
  text: z.string(),
  /** The operator's reply to the request; may be empty. */
  reply: z.string(),
  createdAt: IsoDate,
});
export type TariffRequest = z.infer<typeof TariffRequest>;

/** The number of objects that a company has of each limited kind. */
const Used = z.object({
  /** Users. */
  people: z.int(),
  /** Sites. */
  sites: z.int(),
  /** Own proxies. */
  proxies: z.int(),
  /** Paid proxies. */
  paidProxies: z.int(),
  /** Policies with `allSites`, which allow access to every public site. */
  allSites: z.int(),
});

/** The plan of a company, its usage, and the offered plans. */
export const Tariff = z.object({
  /** The version of the company. A change of the company's settings also raises this version. */
  version: Version,
  /** The plan in force: the trial plan during the trial, otherwise `ownPlan`, or the standard plan after the end of `ownPlan`. */
  plan: CompanyPlan,
  /** The plan that an ADMIN set. It applies until `planEndsAt`, except during the trial. */
  ownPlan: Named,
  /** The time when `ownPlan` ends; null for no end. */
  planEndsAt: z.nullable(IsoDate),
  /** When the trial ends or ended; null when it never began. */
  trialEndsAt: z.nullable(IsoDate),
  /** Whether the trial is in force. */
  trialRuns: z.boolean(),
  /** Whether the owner can begin the trial. There must be a trial plan, and the company must not have had a trial. */
  trialOffered: z.boolean(),
  /** The plan of the trial, which need not be among the offers; null when no plan is marked for it. */
  trial: z.nullable(CompanyPlan),
  used: Used,
  /** The company's contact phone (E.164); empty for none. */
  phone: z.string(),
  /** The offered plans. */
  offers: z.array(CompanyPlan),
  contact: Contact,
  /**
   * The access that the company loses with its paid proxies. Null while the plan includes paid proxies, and
   * for a company without paid proxies.
   */
  paidEnd: z.nullable(
    z.object({
      /** When the gateway begins to refuse access through paid proxies: 14 days after the plan's end. */
      stopsAt: IsoDate,
      /** Whether the gateway already refuses access through paid proxies. */
      stopped: z.boolean(),
      /** The names of the users with a policy on a paid proxy, at most 50. */
      people: z.array(z.string()),
      /** The addresses of the sites with a policy on a paid proxy, at most 50. */
      sites: z.array(z.string()),
    }),
  ),
  /** The company's tariff requests, newest first, at most 20. */
  requests: z.array(TariffRequest),
});
export type Tariff = z.infer<typeof Tariff>;

/** Get the plan of the caller's company, its usage, and the offered plans. */
export const myTariff = endpoint('GET /tariff', {
  access: ['CREATOR'],
  reply: Tariff,
  versioned: true,
  errors: ['no_company'],
});

/** Get the plan of a company, its usage, and its requests to the operator. */
export const companyTariff = endpoint('GET /company/:id/tariff', {
  access: ['ADMIN'],
  reply: Tariff,
  versioned: true,
  errors: ['not_found'],
});

/** The plan of a company. Without `planEndsAt`, the plan has no end. A `trialEndsAt` in the past ends the trial. */
export const TariffInput = z.object({
  planId: Id,
  /** When the plan ends. */
  planEndsAt: z.optional(GivenDate),
  /**
   * The new end of the trial, at most a year from now. If the company has no trial, the trial begins. A time in
   * the past ends the trial. If this field is absent, the trial does not change.
   */
  trialEndsAt: z.optional(GivenDate),
});
export type TariffInput = z.infer<typeof TariffInput>;

/** Set the plan of a company, and begin, extend or end its trial. */
export const setTariff = endpoint('PUT /company/:id/tariff', {
  access: ['ADMIN'],
  body: TariffInput,
  reply: Tariff,
  versioned: true,
  errors: ['not_found', 'bad_input', 'no_trial'],
});

/** Begin the trial: 720 hours of the trial's plan, once for each company. */
export const startTrial = endpoint('POST /tariff/trial', {
  access: ['CREATOR'],
  reply: Tariff,
  versioned: true,
  errors: ['no_company', 'no_trial'],
});

/** The contact phone of a company. */
export const PhoneInput = z.object({
  /** The phone (E.164); empty for none. @example "+79161234567" */
  phone: z.union([z.literal(''), Phone]),
});

/** Set the contact phone of the caller's company. */
export const setPhone = endpoint('PUT /tariff/phone', {
  access: ['CREATOR'],
  body: PhoneInput,
  reply: Tariff,
  versioned: true,
  errors: ['no_company'],
});

/** Get the contact of the platform's operator. */
export const getContact = endpoint('GET /contact', { access: ['ADMIN'], reply: Contact, versioned: true });

/** Replace the contact of the platform's operator. */
export const setContact = endpoint('PUT /contact', {
  access: ['ADMIN'],
  body: ContactInput,
  reply: Contact,
  versioned: true,
});

/** A tariff request from an owner to the platform's operator. */
export const RequestInput = z.object({
  kind: RequestKind,
  /** The requested plan, if `kind` is `plan`. */
  planId: z.optional(Id),
  /** The owner's message to the operator. */
  text: z._default(paragraphs(2000), ''),
});
export type RequestInput = z.infer<typeof RequestInput>;

/** Ask the operator for a plan, a paid proxy or the trial. A company has at most one open request of each kind. */
export const createRequest = endpoint('POST /tariff/requests', {
  access: ['CREATOR'],
  body: RequestInput,
  reply: TariffRequest,
  status: 201,
  errors: ['no_company', 'bad_input', 'request_open', 'too_many_requests'],
});

/** Withdraw an open tariff request of the caller's company. */
export const withdrawRequest = endpoint('DELETE /tariff/requests/:id', {
  access: ['CREATOR'],
  errors: ['no_company', 'not_found', 'request_closed'],
});

/** The query parameters for the list of tariff requests. */
export const RequestQuery = z.extend(ListQuery, {
  /** Returns only requests in this state. */
  state: z.optional(RequestState),
});
export type RequestQuery = z.infer<typeof RequestQuery>;

/** List the tariff requests of all companies. `name` searches the company's name. */
export const listRequests = endpoint('GET /tariff/requests', {
  access: ['ADMIN'],
  query: RequestQuery,
  reply: listOf(TariffRequest),
});

/**
 * Close an open tariff request as answered or refused. The owner gets a mail. An answer may also set the company's plan with its
 * end, and the end of its trial, in the same transaction.
 */
export const answerRequest = endpoint('PUT /tariff/requests/:id', {
  access: ['ADMIN'],
  body: z.extend(z.partial(TariffInput), {
    /** The new state of the request. `refused` requires a reply, and sets neither plan nor trial. @example answered */
    state: z.enum(['answered', 'refused']),
    /** The operator's answer to the request, or the reason for its refusal. */
    reply: z._default(paragraphs(2000), ''),
  }),
  reply: TariffRequest,
  errors: ['not_found', 'bad_input', 'request_closed', 'no_trial'],
});
