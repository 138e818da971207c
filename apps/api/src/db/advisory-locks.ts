/** The numbers of advisory locks. Processes of two releases can run at once, so a number is never reused for another lock. */
export const advisoryLocks = {
  migrations: 7_305_800,
  restore: 7_305_801,
  auditPartitions: 7_305_802,
  /** Serializes registrations under the rule `first`, so that only one company is created. */
  firstCompany: 7_305_803,
  recordPartitions: 7_305_804,
  /** Serializes the creation of the first ADMIN and the setting of the first password, so that there is only one first ADMIN. */
  firstAdmin: 7_305_805,
  /** Serializes additions of vantages to a company. The id of the company is the second key of the lock. */
  vantages: 7_305_811,
  certificates: 7_305_825,
} as const;
