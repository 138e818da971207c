/** The limits of the product (spec sections 5 and 9, answers.md). */
export const limits = {
  /** The default and the largest number of rows on a list page. */
  page: { take: 10, maxTake: 100 },
  /** Lengths in characters. */
  name: 200,
  personName: 3,
  companyName: 5,
  companySite: 5,
  policyName: 4,
  proxyField: 4,
  description: 2000,
  email: 254,
  password: { min: 8, max: 200 },
  address: 253,
  port: { min: 1000, max: 65535 },
  /** The most rows of each kind that a company may have. */
  objectsPerCompany: 1000,
  /** The most links between users and policies of one company. The same limit applies to links between sites and policies. */
  linksPerCompany: 20_000,
  /** The most rows of a list without paging. Only a list over the whole platform can have more rows. */
  list: 2000,
  /** The most rows of an exported list. Only the audit and lists over the whole platform can have more rows. */
  exportRows: 5000,
  /** The most bytes of a request body. */
  body: 1024 * 1024,
  /**
   * The most bytes of a request body in a call that needs no token. In calls with a token, bodies larger
   * than this count against a shared memory budget.
   */
  smallBody: 16 * 1024,
  /** The most levels of nested lists and objects in a request body. */
  depth: 32,
  /** Lifetime of a mailed link, in minutes. */
  linkMinutes: 10,
  /** Lifetime of an invitation, in days. */
  invitationDays: 7,
  /** Lifetime of the link that sets up the first ADMIN, in minutes. */
  firstLinkMinutes: 60,
  /** Lifetime of a code that pairs a vantage, in minutes. */
  vantagePairingMinutes: 15,
  /** Lifetime of a link that shows a site's lock, in days. */
  lockLinkDays: 7,
  /** The most agents that one call invites. */
  invitations: 50,
  /** Lifetime of a pairing code of the extension, in seconds. */
  pairingSeconds: 60,
  /** The most characters of a second-factor code as typed, with spaces and hyphens. */
  factorCode: 40,
  /** The number of recovery codes in a set. */
  recoveryCodes: 10,
  /** The most characters of a path that a probe requests. */
  startPath: 200,
  /** The most start paths of a site. */
  startPaths: 10,
  /** The maximum number of URLs of a site that may be open to everybody. */
  openPaths: 5,
} as const;
