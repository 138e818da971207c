/** The numbers of the product (spec sections 5 and 9, answers.md), each written once. */
export const limits = {
  /** Rows of a list page. */
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
  /** Rows of one kind that a company may hold. */
  objectsPerCompany: 1000,
  /** People in the policies of a company, each counted in each policy; and sites likewise. */
  linksPerCompany: 20_000,
  /** Rows of a list that is asked for without a page: a company's objects and the platform's own; no company has more. */
  list: 2000,
  /** Bytes of a request body, and how deep its lists and objects may nest. */
  body: 1024 * 1024,
  /** Bytes of a body whose sender need not be signed in. Larger ones share a budget of memory. */
  smallBody: 16 * 1024,
  depth: 32,
  /** How long a link from mail lives, in minutes. */
  linkMinutes: 10,
  /** How long an invitation to register a company lives, in days. */
  invitationDays: 7,
  /** How long a code that signs the extension in lives, in seconds. */
  pairingSeconds: 60,
  /** Characters of a code of the second factor as it is typed, with spaces and hyphens. */
  factorCode: 40,
  /** Recovery codes of a set. */
  recoveryCodes: 10,
} as const;
