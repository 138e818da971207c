import type { Endpoint } from '@propusk/contract/endpoint';
import type { Role } from '@propusk/contract/roles';

/** Whether a user with these roles may make a call. The console offers only permitted calls. */
export function isPermitted(roles: readonly Role[], endpoint: Endpoint): boolean {
  const { access } = endpoint;
  if (typeof access === 'string') return access !== 'gateway';
  return access.some((role) => roles.includes(role));
}
