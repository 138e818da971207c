import {
  FactorConfirmation,
  FactorProof,
  FactorSecret,
  FactorStart,
  RecoveryCodes,
  SecondFactor,
} from '@propusk/contract/second-factor';
import { openApiExamples as sample } from '@propusk/phrases/openapi';
import { named } from './fields.ts';

// What OpenAPI says, in words, of the second factor.

const currentPassword = 'The password that is in force now.';
const code = 'What the app shows, 6 digits, or a recovery code.';

named(
  'SecondFactor',
  SecondFactor,
  'The second factor of the caller.',
  {
    on: 'Whether signing in takes a code as well.',
    since: 'Since when; null while it is off.',
    recoveryCodes: 'How many recovery codes are left.',
  },
  { on: true, since: '2026-03-02T09:30:00.000Z', recoveryCodes: 9 },
);
named(
  'FactorStart',
  FactorStart,
  'What is asked again before a secret is made.',
  { currentPassword },
  { currentPassword: sample.password },
);
named(
  'FactorSecret',
  FactorSecret,
  'A secret for an app that makes codes: SHA-1, 6 digits, 30 seconds (RFC 6238).',
  { secret: 'Base32 (RFC 4648), to be typed.', uri: 'The same as an `otpauth:` address, for a QR code.' },
  {
    secret: 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ',
    uri: 'otpauth://totp/%D0%9F%D1%80%D0%BE%D0%BF%D1%83%D1%81%D0%BA:anna%40romashka.ru?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ',
  },
);
named(
  'FactorConfirmation',
  FactorConfirmation,
  'A first code, which shows that the app has the secret.',
  { code: 'What the app shows, 6 digits.' },
  { code: '287082' },
);
named(
  'FactorProof',
  FactorProof,
  'What shows once more who asks.',
  { currentPassword, code },
  { currentPassword: sample.password, code: '287082' },
);
named(
  'RecoveryCodes',
  RecoveryCodes,
  'Codes for the day when the phone is lost. Told in this reply alone.',
  { codes: 'Each signs in once.' },
  { codes: ['7K3M-Q9XT-2HVD-W5PA'] },
);
