import * as z from 'zod/mini';
import { endpoint } from './endpoint.ts';
import { Email, Password, text } from './fields.ts';
import { limits } from './limits.ts';

/** Spec section 5. `name` is the company's name (spec); what the person typed as a name travels as `ownerName`. */
export const Registration = z.object({
  name: text(limits.personName),
  ownerName: z.optional(text(limits.personName)),
  companyName: text(limits.companyName),
  companySite: text(limits.companySite),
  email: Email,
  password: Password,
});
export type Registration = z.infer<typeof Registration>;

export const Login = z.object({ email: Email, password: Password });
export type Login = z.infer<typeof Login>;

/** The console's token: 256 bits, opaque, sent as `Authorization: Bearer`. */
export const Token = z.object({ token: z.string() });

export const login = endpoint({
  method: 'POST',
  path: '/auth/login',
  access: 'public',
  summary: 'Sign in with email and password',
  body: Login,
  reply: Token,
});

export const register = endpoint({
  method: 'POST',
  path: '/auth/registration',
  access: 'public',
  summary: 'Create a company and its owner (CREATOR), signed in',
  body: Registration,
  reply: Token,
  status: 201,
});

export const logout = endpoint({
  method: 'DELETE',
  path: '/auth/logout',
  access: 'signed-in',
  summary: 'End this session',
});
