import type { Company } from '@propusk/contract/companies';
import type { Db } from '../db/open.ts';
import type { Member } from '../http/actor.ts';
import { AppError } from '../http/errors.ts';

/** The actor's own company. */
export async function findOwnCompany(db: Db, actor: Member): Promise<Company> {
  return db
    .selectFrom('companies')
    .select([
      'id',
      'company_name as companyName',
      'company_site as companySite',
      'created_at as createdAt',
      'updated_at as updatedAt',
    ])
    .where('id', '=', actor.companyId)
    .executeTakeFirstOrThrow(() => new AppError('not_found'));
}
