// The default language, a file for what is needed together: a page loads its own texts with its code, and no others. The
// spec's English strings stay word for word.
export * from './ru/audit.ts';
export * from './ru/auth.ts';
export * from './ru/company.ts';
export * from './ru/dashboard.ts';
export * from './ru/everywhere.ts';
export * from './ru/extension.ts';
export * from './ru/lock.ts';
export * from './ru/onboarding.ts';
export * from './ru/personal.ts';
export * from './ru/policies.ts';
export * from './ru/proxies.ts';
export * from './ru/reading.ts';
export * from './ru/roles.ts';
export * from './ru/second-factor.ts';
export * from './ru/sessions.ts';
export * from './ru/sign-in-code.ts';
export * from './ru/sites.ts';
export * from './ru/users.ts';
