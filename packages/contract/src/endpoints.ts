import { myAccess } from './access.ts';
import { policyLoss, siteLoss, userLoss } from './access-loss.ts';
import { listAudit } from './audit.ts';
import { createPairing, login, logout, pair, register, useLink } from './auth.ts';
import {
  confirmCompany,
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
import { checkSite, echo, getSiteCheck, getSiteLock, learnEgress, openLockLink, shareLock } from './lock.ts';
import { stuckMail } from './mail.ts';
import { me } from './me.ts';
import { createPolicy, deletePolicy, getPolicy, listPolicies, updatePolicy } from './policies.ts';
import { evidence } from './protection.ts';
import {
  checkProxy,
  createProxy,
  deleteProxy,
  getProxy,
  listAllProxies,
  listProxies,
  updateAnyProxy,
  updateProxy,
} from './proxies.ts';
import { inviteCompany, registrationMode, sendCompanyConfirmation } from './registration.ts';
import { addAdmin, changeRole, removeAdmin } from './role-changes.ts';
import {
  confirmSecondFactor,
  endSecondFactor,
  getSecondFactor,
  renewRecoveryCodes,
  resetSecondFactor,
  startSecondFactor,
} from './second-factor.ts';
import { endOtherSessions, endSession, listSessions } from './sessions.ts';
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
  inviteOwner,
  listUsers,
  updateUser,
} from './users.ts';
import {
  addVantage,
  deleteVantage,
  listVantages,
  pairVantage,
  reportVantage,
  takeVantageWork,
} from './vantages.ts';
import { whyHost, whySite } from './why.ts';

/** All calls by name. The api does not start while one of them has no handler. */
export const calls = {
  health,
  login,
  register,
  registrationMode,
  useLink,
  logout,
  createPairing,
  pair,
  me,
  changeOwnPassword,
  listSessions,
  endSession,
  endOtherSessions,
  getSecondFactor,
  startSecondFactor,
  confirmSecondFactor,
  renewRecoveryCodes,
  endSecondFactor,
  myAccess,
  whyHost,
  createUser,
  listUsers,
  companyUsers,
  allCompanyUsers,
  getUser,
  updateUser,
  deleteUser,
  resetSecondFactor,
  changeRole,
  addAdmin,
  removeAdmin,
  createCompany,
  listCompanies,
  myCompany,
  updateMyCompany,
  getCompany,
  updateCompany,
  confirmCompany,
  deleteCompany,
  inviteOwner,
  inviteCompany,
  sendCompanyConfirmation,
  stuckMail,
  createProxy,
  listProxies,
  listAllProxies,
  getProxy,
  updateProxy,
  updateAnyProxy,
  deleteProxy,
  checkProxy,
  createSite,
  createSites,
  listSites,
  getSite,
  updateSite,
  deleteSite,
  deleteSiteByAddress,
  whySite,
  getSiteLock,
  learnEgress,
  shareLock,
  openLockLink,
  listVantages,
  addVantage,
  deleteVantage,
  pairVantage,
  takeVantageWork,
  reportVantage,
  checkSite,
  getSiteCheck,
  evidence,
  echo,
  createPolicy,
  listPolicies,
  getPolicy,
  updatePolicy,
  deletePolicy,
  siteLoss,
  policyLoss,
  userLoss,
  listAudit,
  feed,
  acknowledge,
} satisfies Record<string, Endpoint>;
export type CallName = keyof typeof calls;

/** The same calls as a list. */
export const endpoints: readonly Endpoint[] = Object.values(calls);
