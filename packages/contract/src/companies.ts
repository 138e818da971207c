import * as z from 'zod/mini';
import { endpoint } from './endpoint.ts';
import { Id, IsoDate } from './fields.ts';

/** A company: the boundary that no reference crosses. */
export const Company = z.object({
  id: Id,
  companyName: z.string(),
  companySite: z.string(),
  createdAt: IsoDate,
  updatedAt: IsoDate,
});
export type Company = z.infer<typeof Company>;

export const myCompany = endpoint({
  method: 'GET',
  path: '/company/me-company',
  access: ['CREATOR'],
  summary: 'The own company',
  reply: Company,
});
