import type { CallName } from '@propusk/contract/endpoints';

// OpenAPI texts of the calls themselves. They are not in the contract, so that the console's bundle does not include them.

/** The summary of a call in one line, and a description of what its schemas, errors and access do not show. */
export type OperationText = string | readonly [summary: string, description: string];

const loss =
  'Runs the deletion in a transaction, compares the decisions of the access rule before and after it, and rolls back. Changes nothing.';

export const operations: Readonly<Record<CallName, OperationText>> = {
  health: 'Report readiness: the service is ready when its database answers',
  login: [
    'Sign in with email and password, and with a code when the account has a second factor',
    '`second_factor_needed` means that the password is right: repeat the call with `code`. The server keeps no state between the two calls.',
  ],
  register: [
    'Create a company and its owner (CREATOR), and sign the owner in',
    'One transaction creates both. The email is compared with existing accounts case-insensitively. `GET /auth/registration` returns whether a registration requires an invitation.',
  ],
  registrationMode: 'Get who may register a company now',
  inviteCompany: [
    'Invite an owner to register a company',
    'The link is valid for seven days, works once, and only with this email. Another invitation of the same address replaces it.',
  ],
  sendCompanyConfirmation: [
    "Mail the link that confirms the caller's company again",
    'The link is valid for 10 minutes, works once (`POST /auth/register` with `{token}`) and ends no session. Setting a new password or email with a mailed link confirms the company too.',
  ],
  confirmCompany: 'Confirm a company whose owner receives no mail',
  useLink: [
    'Request or use a link by mail: for a new password, or for a new email',
    '`{email}` mails a link for a new password; the reply does not reveal whether the address has an account. `{token, password}` sets the new password. `{email, change: true, currentPassword}`, signed in, mails a link to the new address and notifies the old one; it requires the password, so that a stolen session cannot take over the account. `{token}` makes the new address the login and notifies the old one. A new password or a new email ends all sessions and gateway tokens. A link is valid for 10 minutes and works once.',
  ],
  logout: [
    'End this session',
    'If this session fetched gateway credentials (`GET /me/access`), all gateway tokens of the caller are revoked.',
  ],
  createPairing: [
    'Create a code with which the extension signs in as the caller',
    'The code works once within a minute. It expires with the session that created it.',
  ],
  pair: [
    'Sign the extension in with a pairing code',
    'The extension gets its own session, which outlives a sign-out from the console.',
  ],
  me: 'Get the signed-in user with roles and policies',
  changeOwnPassword: "Change the caller's password; all other sessions and all gateway tokens end",
  listSessions: [
    "List the caller's sessions: the current one, then the others by their last call",
    'At most 100 rows; `count` is the number of all sessions.',
  ],
  endSession: [
    "End one of the caller's sessions",
    "Ending another session also revokes the caller's gateway tokens and mailed links, because its holder may have fetched them. Ending the current session is a sign-out.",
  ],
  endOtherSessions: [
    "End all of the caller's sessions except the current one",
    "If there were others, the caller's gateway tokens and mailed links are revoked too.",
  ],
  getSecondFactor: 'Get whether the caller has a second factor, and the number of unused recovery codes',
  startSecondFactor: [
    'Start the enrolment of a second factor: returns the secret for the authenticator app',
    'Sign-in does not ask for a code before one confirms the secret, within an hour. A repeated call replaces the secret.',
  ],
  confirmSecondFactor: [
    'Turn the second factor on with the first code from the app',
    'Returns ten recovery codes; no later reply contains them. Ends all other sessions, gateway tokens and mailed links.',
  ],
  renewRecoveryCodes: 'Replace the recovery codes with ten new ones',
  endSecondFactor: [
    "Turn the caller's second factor off",
    'If the company requires one, every other call is refused until the caller enrols again, for example with a new phone.',
  ],
  myAccess: [
    "Get the gateway's address, credentials for it, and the sites that they open",
    'A client needs no more than `curl -x http://USERNAME:PASSWORD@HOST:PORT https://crm.example.ru`. The password is valid for 24 hours.',
  ],
  whyHost: [
    "Explain the gateway's decision on the caller and a host",
    'For browsers, which hide the body of a refused CONNECT.',
  ],
  createUser: "Add a user to the caller's company, with the role USER",
  listUsers: [
    'List the users of every company and the platform admins',
    '`name` searches name, surname and email.',
  ],
  companyUsers: ["List the users of the caller's company", '`name` searches name, surname and email.'],
  allCompanyUsers: "List all users of the caller's company, without pages",
  getUser: 'Get a user',
  updateUser: [
    "Change a user; `politics` replaces the user's policies",
    'Only owners and admins themselves can change their passwords (`PUT /me/password`). They change their email through a mailed link; another ADMIN can change it too. A new password or email ends the sessions and gateway tokens of the user.',
  ],
  deleteUser: 'Delete a user; ends sessions, gateway access and open tunnels',
  resetSecondFactor: [
    'Reset the second factor of a user who has lost the phone and the recovery codes',
    'An owner resets agents of the company, an ADMIN any other user, with proof. Sessions and gateway tokens of the user end.',
  ],
  changeRole: [
    'Make an agent an owner of the company, or an owner an agent',
    "The caller authenticates again. The user's sessions, gateway tokens and mailed links end, so that the next sign-in gets the new role. Policies stay. Callers cannot change their own role, a company keeps at least one owner, and this call cannot change an ADMIN.",
  ],
  addAdmin: [
    'Invite a new platform admin (ADMIN) by mail',
    'The account is new and belongs to no company. The mailed link sets the first password and is valid for 10 minutes; `POST /auth/register` with `{email}` sends another one. The caller authenticates again.',
  ],
  removeAdmin: [
    'Revoke the role ADMIN of another user',
    'An ADMIN without a company loses the account too. An ADMIN with a company keeps the other roles, or becomes an agent. Sessions, gateway tokens and mailed links end in both cases. The caller authenticates again. Callers cannot revoke their own role, so the platform keeps at least one ADMIN.',
  ],
  createCompany: 'Create a company without users',
  listCompanies: [
    'List the companies of the platform, as an array',
    'Without `page` and `take` the first 100. The header `X-Total-Count` has the number of all matching rows. `name` searches name and site.',
  ],
  myCompany: "Get the caller's company",
  updateMyCompany: [
    "Change the caller's company",
    'Only a caller with a second factor can require one of the company (`own_factor_first`).',
  ],
  getCompany: 'Get a company; a CREATOR only their own',
  updateCompany: [
    'Change a company; a CREATOR only their own',
    'Only a caller with a second factor can require one of the company (`own_factor_first`).',
  ],
  deleteCompany: [
    'Delete a company with all its users, sites, proxies and policies',
    'One transaction deletes everything. Sessions, gateway access and open tunnels of its users end.',
  ],
  inviteOwner: [
    'Invite an owner (CREATOR) to a company by mail',
    'The mailed link sets the first password and is valid for 10 minutes; `POST /auth/register` with `{email}` sends another one.',
  ],
  createProxy: [
    "Add an upstream proxy of the caller's company; an ADMIN without a company adds a default proxy of the platform",
    'The password is stored encrypted, and no reply contains it.',
  ],
  listProxies: [
    "List the company's proxies and the platform's default ones; for an ADMIN those of every company",
    '`name` searches the host.',
  ],
  listAllProxies: [
    'List the proxies of every company and of the platform',
    '`name` searches the host; `type` filters by `settings.type`.',
  ],
  getProxy: 'Get a proxy of the company or of the platform',
  updateProxy: 'Change a proxy; without `password` the stored one stays, unless host or port changes',
  updateAnyProxy: [
    'Change any proxy and its settings; without `password` the stored one stays, unless host or port changes',
    "The type of a company's proxy is `users` or `payment`; that of a platform proxy stays `default`. Without `settings.allSites`, a policy for all sites on this proxy opens only the sites that it names.",
  ],
  deleteProxy: 'Delete a proxy that no policy uses',
  checkProxy: 'Test a proxy with a request to our echo: reachability, credentials and egress addresses',
  createSite: [
    'Add a protected site',
    '`address` may be a host or a whole URL; the server keeps the host, in lower case and punycode, and the port if the address names one. `example.ru` also covers `www.example.ru`; `*.example.ru` covers the domain and all its subdomains. IP addresses, single labels and public suffixes are refused.',
  ],
  createSites: [
    'Add several sites, all or none',
    '`fields` of an error names each wrong line by its index from 0, such as `3.address`.',
  ],
  listSites: [
    "List the company's sites; for a plain USER those of the user's policies; for an ADMIN those of every company",
    '`name` searches the address, in punycode and in Unicode.',
  ],
  getSite: "Get a site; a plain USER only one of the user's policies",
  updateSite: 'Change a site; `politics` replaces the policies that open it',
  deleteSite: 'Delete a site',
  deleteSiteByAddress:
    "Delete a site of the caller's company by its address, in any spelling that the creation of a site accepts",
  whySite: "Explain the gateway's decision on a user and a site",
  getSiteLock: 'Get the configuration that locks the site to the egress addresses of its policies',
  learnEgress: [
    "Learn the egress addresses of the site's proxies through our echo, and return the lock with them",
    'The call takes up to ten seconds per proxy.',
  ],
  shareLock: [
    'Create a link that shows the lock without an account, for seven days',
    'The link shows the configuration and nothing else. Each call creates another link. The call takes no `Idempotency-Key`, because the reply holds a secret that is not stored.',
  ],
  openLockLink: [
    'Get the lock that a link shows',
    'The token is in the fragment of the link, so that no server logs it.',
  ],
  stuckMail: ['Get the number of mails that do not leave', 'The reply names neither a recipient nor a link.'],
  listVantages: "List the company's vantages; for an ADMIN without a company the platform's",
  addVantage: [
    'Add a vantage; returns the command that pairs a machine within 15 minutes',
    'The call takes no `Idempotency-Key`, because the reply holds a secret that is not stored.',
  ],
  deleteVantage: 'Delete a vantage; its key becomes invalid',
  pairVantage: 'Exchange the code of a new vantage for its key',
  takeVantageWork: [
    'Get the next requests that a vantage has to send',
    'The signature covers `work VANTAGE COUNT`.',
  ],
  reportVantage: [
    'Report the responses to one group of requests',
    'The signature covers `report VANTAGE COUNT TASK GROUP RESULTS`.',
  ],
  checkSite: [
    'Start a probe: is the site closed to strangers and open through its proxies?',
    'If a probe is already running, the reply shows that one. Poll the steps with GET.',
  ],
  getSiteCheck: 'Get the running or the last probe of the site',
  evidence: 'Get the progress of the onboarding, and the sites that lost their protection',
  echo: "Get the caller's address",
  createPolicy: [
    'Create an access policy',
    '`proxyId` names a proxy of the company or of the platform. An empty description becomes a copy of the name.',
  ],
  listPolicies: [
    "List the company's policies; for a plain USER the user's own; for an ADMIN those of every company",
    '`name` searches name and description. For a plain USER, `users` holds no other user.',
  ],
  getPolicy: "Get a policy; a plain USER only one of the user's own",
  updatePolicy: 'Change a policy; `users` and `sites` replace its lists',
  deletePolicy: 'Delete a policy; users without another policy for its sites lose access at once',
  siteLoss: ['Count the users who would lose access if the site were deleted', loss],
  policyLoss: ['Count the users who would lose access if the policy were deleted', loss],
  userLoss: ['Count the sites that would lose a user if the user were deleted', loss],
  listAudit: [
    "List audit events, newest first: of the caller's company; for an ADMIN of every company",
    "The reply is always one page, by default the first ten rows. `name` searches the actor's name and email and the object's name; for an ADMIN the company's name too. An ADMIN who owns a company gets the events of that company, unless `of` is `platform`, which only an ADMIN may use. A day in `from` or `to` is a day in Moscow time. Rows outlive the entities that they name, and no call changes or deletes them.",
  ],
  feed: [
    'Stream snapshots of access rights to a gateway, as server-sent events',
    'Events: `company` (a whole snapshot), `gone`, `ready` after the first round, `heartbeat` every 15 s. The bearer token is derived from GATEWAY_SECRET.',
  ],
  acknowledge: 'Report the version of a company that a gateway enforces now',
};
