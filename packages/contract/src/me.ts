import * as z from 'zod/mini';
import { endpoint } from './endpoint.ts';
import { Id, IsoDate, Named, Version } from './fields.ts';
import { Role } from './roles.ts';

/** A user of a company (an agent), an owner, or a platform admin. No reply contains the password. */
export const User = z.object({
  id: Id,
  name: z.string(),
  surname: z.string(),
  email: z.string(),
  roles: z.array(z.object({ value: Role })),
  politics: z.array(Named),
  company: z.nullable(
    z.object({
      id: Id,
      companyName: z.string(),
      companySite: z.string(),
      secondFactorRequired: z.boolean(),
      /** Whether the company is confirmed. The gateway refuses all users of an unconfirmed company. */
      confirmed: z.boolean(),
    }),
  ),
  /** Whether sign-in requires a code. */
  secondFactor: z.boolean(),
  version: Version,
  createdAt: IsoDate,
  updatedAt: IsoDate,
});
export type User = z.infer<typeof User>;

export const me = endpoint({
  method: 'GET',
  path: '/me',
  access: 'signed-in',
  beforeFactor: true,
  reply: User,
  versioned: true,
});
