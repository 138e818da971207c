import * as z from 'zod/mini';
import { endpoint } from './endpoint.ts';
import { FactorCode, FactorConfirmation, IdParams, IsoDate, MaybeProof } from './fields.ts';
import { limits } from './limits.ts';

/** The state of the caller's second factor. Only the reply that starts the enrolment contains the secret. */
export const SecondFactor = z.object({
  on: z.boolean(),
  since: z.nullable(IsoDate),
  recoveryCodes: z.int(),
});
export type SecondFactor = z.infer<typeof SecondFactor>;

export const getSecondFactor = endpoint({
  method: 'GET',
  path: '/me/second-factor',
  access: 'signed-in',
  beforeFactor: true,
  reply: SecondFactor,
});

/** The body of a call that requires the password again. */
export const FactorStart = z.object({ currentPassword: z.string().check(z.maxLength(limits.password.max)) });

/** The secret of an authenticator app (RFC 6238), as text and as an `otpauth:` URI for a QR code. */
export const FactorSecret = z.object({ secret: z.string(), uri: z.string() });
export type FactorSecret = z.infer<typeof FactorSecret>;

export const startSecondFactor = endpoint({
  method: 'POST',
  path: '/me/second-factor',
  access: 'signed-in',
  beforeFactor: true,
  proof: { of: 'self' },
  body: FactorStart,
  // Not 201: replies with 201 are stored for Idempotency-Key, and this reply is a secret.
  reply: FactorSecret,
  errors: ['second_factor_on', 'too_many_requests'],
});

/** Each code replaces one from the app, once. No later reply contains them. */
export const RecoveryCodes = z.object({ codes: z.array(z.string()) });
export type RecoveryCodes = z.infer<typeof RecoveryCodes>;

export const confirmSecondFactor = endpoint({
  method: 'POST',
  path: '/me/second-factor/confirm',
  access: 'signed-in',
  beforeFactor: true,
  body: FactorConfirmation,
  reply: RecoveryCodes,
  errors: ['second_factor_on', 'second_factor_not_begun', 'too_many_requests'],
});

/** The current password, and a code from the app or a recovery code. */
export const FactorProof = z.extend(FactorStart, { code: FactorCode });

export const renewRecoveryCodes = endpoint({
  method: 'POST',
  path: '/me/second-factor/recovery',
  access: 'signed-in',
  beforeFactor: true,
  proof: { of: 'self' },
  body: FactorProof,
  reply: RecoveryCodes,
  errors: ['second_factor_off', 'too_many_requests'],
});

export const endSecondFactor = endpoint({
  method: 'POST',
  path: '/me/second-factor/off',
  access: 'signed-in',
  beforeFactor: true,
  proof: { of: 'self' },
  body: FactorProof,
  errors: ['second_factor_off', 'too_many_requests'],
});

export const resetSecondFactor = endpoint({
  method: 'POST',
  path: '/users/:id/second-factor/off',
  access: ['CREATOR', 'ADMIN'],
  proof: { of: 'admin' },
  params: IdParams,
  body: MaybeProof,
  errors: ['not_found', 'own_account', 'protected_user', 'second_factor_off', 'too_many_requests'],
});
