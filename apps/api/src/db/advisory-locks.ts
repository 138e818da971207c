/** The advisory locks of the product in its database. Processes of two releases run at once, so a number is never used again. */
export const advisoryLocks = {
  migrations: 7_305_800,
  restore: 7_305_801,
  auditPartitions: 7_305_802,
  /** Registrations under the rule `first`, so that concurrent ones make one company. */
  firstCompany: 7_305_803,
  recordPartitions: 7_305_804,
  /** Creation of the first ADMIN and of its password, so that there is only one first ADMIN. */
  firstAdmin: 7_305_805,
  /** With the company as the second key: additions of vantages. */
  vantages: 7_305_811,
  certificates: 7_305_825,
} as const;
