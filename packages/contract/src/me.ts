import * as z from 'zod/mini';
import { endpoint } from './endpoint.ts';
import { ExtensionState } from './extension.ts';
import { companyNames, Id, IsoDate, Member, versioned } from './fields.ts';
import { LastVisit } from './list-filters.ts';
import { Role } from './roles.ts';
import { ShownEmail } from './shown-email.ts';
import { ShownText } from './shown-text.ts';

/** A user of a company (an agent), an owner, or a platform admin. No reply contains the password. */
export const User = z.object({
  id: Id,
  /** Given name; may be empty. */
  name: ShownText,
  /** Family name; may be empty. */
  surname: ShownText,
  /** The email address that the user signs in with. @example anna@romashka.ru */
  email: ShownEmail,
  /** The roles of the user; several are possible. */
  roles: z.array(z.object({ value: Role })),
  /** The access policies of the user. */
  politics: z.array(Member),
  /** The company of the user; null for a platform admin without a company. */
  company: z.nullable(
    z.object({
      id: Id,
      ...companyNames,
      /** Whether the users of the company must have a second factor. */
      secondFactorRequired: z.boolean(),
      /** Whether the company is confirmed. The gateway refuses all users of an unconfirmed company. */
      confirmed: z.boolean(),
      /**
       * Whether the platform has plans other than the standard plan. Only the reply to an owner's `GET /me` contains this field.
       */
      hasTariff: z.optional(z.boolean()),
      /**
       * The trial or plan that ends within 7 days, or the end of access through paid proxies. Null if neither
       * applies. Only the reply to an owner's `GET /me` contains this field.
       */
      ending: z.nullish(
        z.object({
          /**
           * What ends: the trial, the plan, or the access through paid proxies (`paid`).
           * @example trial
           */
          what: z.enum(['trial', 'plan', 'paid']),
          /** The time when the trial, the plan or the access through paid proxies ends. */
          at: IsoDate,
        }),
      ),
    }),
  ),
  /** Whether sign-in requires a second-factor code. */
  secondFactor: z.boolean(),
  /** The invitation of an agent who has set no password yet; null for any other user. @example null */
  invitation: z.nullable(
    z.object({
      /** The expiry of the invitation link; null if the link is no longer valid. */
      expiresAt: z.nullable(IsoDate),
    }),
  ),
  /** The suspension of the user: the user cannot sign in, and the gateway refuses the user. Null if the user is not suspended. */
  suspension: z.nullable(
    z.object({
      /** The time when the suspension is lifted; null if only a call lifts it. */
      until: z.nullable(IsoDate),
    }),
  ),
  lastVisitAt: LastVisit,
  /** The user's browser extension; null if none is signed in. Only an owner gets this field. @example null */
  extension: z.optional(z.nullable(ExtensionState)),
  ...versioned,
});
export type User = z.infer<typeof User>;

/** Get the signed-in user with roles and policies. */
export const me = endpoint('GET /me', {
  access: 'signed-in',
  beforeFactor: true,
  reply: User,
  versioned: true,
});
