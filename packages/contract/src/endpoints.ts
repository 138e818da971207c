import { myAccess } from './access.ts';
import { login, logout, register } from './auth.ts';
import { myCompany } from './companies.ts';
import type { Endpoint } from './endpoint.ts';
import { acknowledge, feed } from './feed.ts';
import { health } from './health.ts';
import { createPolicy, deletePolicy, listPolicies, updatePolicy } from './policies.ts';
import { createProxy, deleteProxy, listProxies } from './proxies.ts';
import { createSite, deleteSite, listSites, updateSite } from './sites.ts';
import { companyUsers, createUser, deleteUser, getUser, me, updateUser } from './users.ts';

/** Every call there is. The api refuses to start with one of them not implemented. */
export const endpoints: readonly Endpoint[] = [
  health,
  login,
  register,
  logout,
  me,
  myAccess,
  myCompany,
  createUser,
  companyUsers,
  getUser,
  updateUser,
  deleteUser,
  createProxy,
  listProxies,
  deleteProxy,
  createSite,
  listSites,
  updateSite,
  deleteSite,
  createPolicy,
  listPolicies,
  updatePolicy,
  deletePolicy,
  feed,
  acknowledge,
];
