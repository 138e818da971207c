import type { Endpoint } from '@propusk/contract/endpoint';
import type { Role } from '@propusk/contract/roles';

/** Whether a holder of these roles may make a call: what may not be called is not offered. */
export function may(roles: readonly Role[], endpoint: Endpoint): boolean {
  const { access } = endpoint;
  if (typeof access === 'string') return access !== 'gateway';
  return access.some((role) => roles.includes(role));
}
