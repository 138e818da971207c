import type { Drift, Evidence } from '@propusk/contract/lock';
import { sql } from 'kysely';
import type { Member } from '../core/actor.ts';
import type { Db } from '../db/open.ts';

/** Reads which steps of the onboarding are really done. */
export async function readProgress(db: Db, { companyId }: Member): Promise<Evidence> {
  const { rows } = await sql<Omit<Evidence, 'drifted'>>`
    select
      exists (select from sites where company_id = ${companyId}) as "siteExists",
      exists (select from site_checks where company_id = ${companyId} and was_protected and not drifted) as "lockVerified",
      exists (select from users where company_id = ${companyId} and extension_seen_at is not null) as "extensionSeen",
      exists (select from policy_users l
        join policies p on p.company_id = l.company_id and p.id = l.policy_id
        join proxies x on x.id = p.proxy_id
        where l.company_id = ${companyId} and (p.all_sites and x.all_sites or exists (
          select from policy_sites s where s.company_id = l.company_id and s.policy_id = l.policy_id)))
        as "userHasPolicy"`.execute(db);
  const { rows: drifted } = await sql<Drift>`
    select s.id, s.shown_address as name, k.shown_verdict as verdict, k.shown_at as "checkedAt"
    from site_checks k join sites s on s.company_id = k.company_id and s.id = k.site_id
    where k.company_id = ${companyId} and k.drifted and k.shown_at is not null
    order by s.id`.execute(db);
  const found = rows[0];
  if (found === undefined) throw new Error('a statement without a table answered no row');
  return { ...found, drifted };
}
