import { myAccess } from './access.ts';
import { login, logout, register, useLink } from './auth.ts';
import {
  createCompany,
  deleteCompany,
  getCompany,
  listCompanies,
  myCompany,
  updateCompany,
  updateMyCompany,
} from './companies.ts';
import type { Endpoint } from './endpoint.ts';
import { acknowledge, feed } from './feed.ts';
import { health } from './health.ts';
import { createPolicy, deletePolicy, getPolicy, listPolicies, updatePolicy } from './policies.ts';
import {
  createProxy,
  deleteProxy,
  getProxy,
  listAllProxies,
  listProxies,
  updateAnyProxy,
  updateProxy,
} from './proxies.ts';
import {
  createSite,
  createSites,
  deleteSite,
  deleteSiteByAddress,
  getSite,
  listSites,
  updateSite,
} from './sites.ts';
import {
  allCompanyUsers,
  changeOwnPassword,
  companyUsers,
  createUser,
  deleteUser,
  getUser,
  listUsers,
  me,
  updateUser,
} from './users.ts';

/** Every call there is. The api refuses to start with one of them not implemented. */
export const endpoints: readonly Endpoint[] = [
  health,
  login,
  register,
  useLink,
  logout,
  me,
  changeOwnPassword,
  myAccess,
  createUser,
  listUsers,
  companyUsers,
  allCompanyUsers,
  getUser,
  updateUser,
  deleteUser,
  createCompany,
  listCompanies,
  myCompany,
  updateMyCompany,
  getCompany,
  updateCompany,
  deleteCompany,
  createProxy,
  listProxies,
  listAllProxies,
  getProxy,
  updateProxy,
  updateAnyProxy,
  deleteProxy,
  createSite,
  createSites,
  listSites,
  getSite,
  updateSite,
  deleteSite,
  deleteSiteByAddress,
  createPolicy,
  listPolicies,
  getPolicy,
  updatePolicy,
  deletePolicy,
  feed,
  acknowledge,
];
