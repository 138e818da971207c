import * as z from 'zod/mini';
import { Id, IsoDate, numeral } from './fields.ts';

/** The filters that the lists of sites and users share. */
export const linkFilters = {
  /** Returns only rows that are in the policy with this id. @example 7 */
  policy: z.optional(numeral(Id)),
  /** `none` returns only rows that are in no policy. */
  access: z.optional(z.enum(['none'])),
  /** `never` returns only rows without any visit. Only an owner may see visits; other callers get no rows. */
  visited: z.optional(z.enum(['never'])),
};

/** The query parameters for pages. Calls without pages omit them. */
export const unpaged = { page: true, take: true } as const;

/** The ids of all rows that match a query, in the order of the list. */
export const IdList = z.object({
  /** The ids. @example [7, 9] */
  ids: z.array(Id),
});

/** The parts that the calls for ids of lists share. */
export const idsOfList = { access: ['CREATOR'], reply: IdList, errors: ['no_company'] } as const;

/**
 * The time of the last visit, to five minutes; null if there was none. Only an owner gets this field. The field is absent for
 * users and sites that are older than the first kept record and have had no visit since.
 */
export const LastVisit = z.optional(z.nullable(IsoDate));
