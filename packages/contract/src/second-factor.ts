import * as z from 'zod/mini';
import { endpoint } from './endpoint.ts';
import { CurrentPassword, FactorCode, FactorConfirmation, IsoDate, MaybeProof } from './fields.ts';

/** The second factor of the caller. */
export const SecondFactor = z.object({
  /** Whether a sign-in requires a code. */
  on: z.boolean(),
  /** The time when the second factor was turned on; null while it is off. */
  since: z.nullable(IsoDate),
  /** The number of unused recovery codes. @example 9 */
  recoveryCodes: z.int(),
});
export type SecondFactor = z.infer<typeof SecondFactor>;

/** Get whether the caller has a second factor, and the number of unused recovery codes. */
export const getSecondFactor = endpoint('GET /me/second-factor', {
  access: 'signed-in',
  beforeFactor: true,
  reply: SecondFactor,
});

/** The caller's password, which the api verifies before it issues a new secret. */
export const FactorStart = z.object({ currentPassword: CurrentPassword });

/** The secret for an authenticator app: SHA-1, 6 digits, 30 seconds (RFC 6238). No other reply contains it. */
export const FactorSecret = z.object({
  /**
   * The secret in Base32 (RFC 4648), which the user can type into the app.
   * @example GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ
   */
  secret: z.string(),
  /**
   * The secret as an `otpauth:` URI, for a QR code.
   * @example otpauth://totp/Propusk:anna%40romashka.ru?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ
   */
  uri: z.string(),
});
export type FactorSecret = z.infer<typeof FactorSecret>;

/**
 * Start the enrolment of a second factor. Returns the secret for the authenticator app. The caller must confirm the secret with a
 * first code within an hour. Only then does sign-in require codes. A repeated call replaces the secret.
 */
export const startSecondFactor = endpoint('POST /me/second-factor', {
  access: 'signed-in',
  beforeFactor: true,
  proof: { of: 'self' },
  body: FactorStart,
  // Status 200, not 201: replies with status 201 are stored for Idempotency-Key, and this reply contains a secret.
  reply: FactorSecret,
  errors: ['second_factor_on', 'too_many_requests'],
});

/** Recovery codes for a lost phone. No later reply contains them. */
export const RecoveryCodes = z.object({
  /** Ten recovery codes, each valid for one sign-in. @example ["7K3M-Q9XT-2HVD-W5PA"] */
  codes: z.array(z.string()),
});

/** Turn the second factor on with a code from the app. Ends the caller's other sessions, gateway tokens and mailed links. */
export const confirmSecondFactor = endpoint('POST /me/second-factor/confirm', {
  access: 'signed-in',
  beforeFactor: true,
  body: FactorConfirmation,
  reply: RecoveryCodes,
  errors: ['second_factor_on', 'second_factor_not_begun', 'too_many_requests'],
});

/** The password and code with which the caller authenticates again. */
export const FactorProof = z.extend(FactorStart, { code: FactorCode });

/** Replace the recovery codes with ten new ones. */
export const renewRecoveryCodes = endpoint('POST /me/second-factor/recovery', {
  access: 'signed-in',
  beforeFactor: true,
  proof: { of: 'self' },
  body: FactorProof,
  reply: RecoveryCodes,
  errors: ['second_factor_off', 'too_many_requests'],
});

/**
 * Turn the caller's second factor off. If the company requires a second factor, every other call is refused
 * until the caller enrols again, for example with a new phone.
 */
export const endSecondFactor = endpoint('POST /me/second-factor/off', {
  access: 'signed-in',
  beforeFactor: true,
  proof: { of: 'self' },
  body: FactorProof,
  errors: ['second_factor_off', 'too_many_requests'],
});

/**
 * Reset the second factor of a user who has lost the phone and the recovery codes. An owner can reset agents of the company. An
 * ADMIN can reset any other user, but must send the ADMIN's own password and code. The call ends the user's sessions and gateway
 * tokens.
 */
export const resetSecondFactor = endpoint('POST /users/:id/second-factor/off', {
  access: ['CREATOR', 'ADMIN'],
  proof: { of: 'admin' },
  body: MaybeProof,
  errors: ['not_found', 'own_account', 'protected_user', 'second_factor_off', 'too_many_requests'],
});
