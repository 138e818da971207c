// One file holds the texts that load together: each page loads its own texts with its code. The English strings are the
// specification's own.
export * from './console/audit.ts';
export * from './console/auth.ts';
export * from './console/company.ts';
export * from './console/dashboard.ts';
export * from './console/everywhere.ts';
export * from './console/extension.ts';
export * from './console/first-steps.ts';
export * from './console/input.ts';
export * from './console/keyboard.ts';
export * from './console/lock.ts';
export * from './console/loss.ts';
export * from './console/onboarding.ts';
export * from './console/personal.ts';
export * from './console/policies.ts';
export * from './console/proxies.ts';
export * from './console/reading.ts';
export * from './console/roles.ts';
export * from './console/second-factor.ts';
export * from './console/sessions.ts';
export * from './console/sign-in-again.ts';
export * from './console/sign-in-code.ts';
export * from './console/sites.ts';
export * from './console/users.ts';
export * from './console/vantages.ts';
