import * as access from './access.ts';
import * as accessLoss from './access-loss.ts';
import * as audit from './audit.ts';
import * as auth from './auth.ts';
import * as companies from './companies.ts';
import type { Endpoint } from './endpoint.ts';
import * as errors from './errors.ts';
import * as feed from './feed.ts';
import * as fields from './fields.ts';
import * as health from './health.ts';
import * as invitations from './invitations.ts';
import * as lock from './lock.ts';
import * as mail from './mail.ts';
import * as me from './me.ts';
import * as plans from './plans.ts';
import * as policies from './policies.ts';
import * as protection from './protection.ts';
import * as proxies from './proxies.ts';
import * as recordSettings from './record-settings.ts';
import * as records from './records.ts';
import * as registration from './registration.ts';
import * as roleChanges from './role-changes.ts';
import * as roles from './roles.ts';
import * as secondFactor from './second-factor.ts';
import * as sessions from './sessions.ts';
import * as sites from './sites.ts';
import * as state from './state.ts';
import * as tariff from './tariff.ts';
import * as users from './users.ts';
import * as vantages from './vantages.ts';
import * as why from './why.ts';

/** The exports of every slice by name: calls, schemas and others. */
export const exported: Readonly<Record<string, unknown>> = {
  ...access,
  ...accessLoss,
  ...audit,
  ...auth,
  ...companies,
  ...errors,
  ...feed,
  ...fields,
  ...health,
  ...invitations,
  ...lock,
  ...mail,
  ...me,
  ...plans,
  ...policies,
  ...protection,
  ...proxies,
  ...recordSettings,
  ...records,
  ...registration,
  ...roleChanges,
  ...roles,
  ...secondFactor,
  ...sessions,
  ...sites,
  ...state,
  ...tariff,
  ...users,
  ...vantages,
  ...why,
};

/** All calls by name. The api does not start while one of them has no handler. */
export const calls: Readonly<Record<string, Endpoint>> = Object.fromEntries(
  Object.entries(exported).filter((entry): entry is [string, Endpoint] => isEndpoint(entry[1])),
);

function isEndpoint(value: unknown): value is Endpoint {
  return typeof value === 'object' && value !== null && 'access' in value && 'path' in value;
}

/** The same calls as a list. */
export const endpoints: readonly Endpoint[] = Object.values(calls);
