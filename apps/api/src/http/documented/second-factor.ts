import { FactorConfirmation } from '@propusk/contract/fields';
import {
  FactorProof,
  FactorSecret,
  FactorStart,
  RecoveryCodes,
  SecondFactor,
} from '@propusk/contract/second-factor';
import { openApiExamples as sample } from '@propusk/phrases/openapi';
import { named } from './fields.ts';

// OpenAPI texts of the second factor.

const currentPassword = 'The current password.';
const code = 'A code from the app, 6 digits, or a recovery code.';

named(
  'SecondFactor',
  SecondFactor,
  'The second factor of the caller.',
  {
    on: 'Whether a sign-in requires a code.',
    since: 'The time of its activation; null while it is off.',
    recoveryCodes: 'The number of unused recovery codes.',
  },
  { on: true, since: '2026-03-02T09:30:00.000Z', recoveryCodes: 9 },
);
named(
  'FactorStart',
  FactorStart,
  'The proof of the caller before a new secret is issued.',
  { currentPassword },
  { currentPassword: sample.password },
);
named(
  'FactorSecret',
  FactorSecret,
  'The secret for an authenticator app: SHA-1, 6 digits, 30 seconds (RFC 6238).',
  { secret: 'Base32 (RFC 4648), for typing.', uri: 'The same secret as an `otpauth:` URI, for a QR code.' },
  {
    secret: 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ',
    uri: 'otpauth://totp/%D0%9F%D1%80%D0%BE%D0%BF%D1%83%D1%81%D0%BA:anna%40romashka.ru?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ',
  },
);
named(
  'FactorConfirmation',
  FactorConfirmation,
  'The first code, which proves that the app has the secret.',
  { code: 'A code from the app, 6 digits.' },
  { code: '287082' },
);
named(
  'FactorProof',
  FactorProof,
  'The password and code with which the caller authenticates again.',
  { currentPassword, code },
  { currentPassword: sample.password, code: '287082' },
);
named(
  'RecoveryCodes',
  RecoveryCodes,
  'Recovery codes for a lost phone. No later reply contains them.',
  { codes: 'Codes that sign in once each.' },
  { codes: ['7K3M-Q9XT-2HVD-W5PA'] },
);
