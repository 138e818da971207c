import type { Drift, Evidence } from '@propusk/contract/protection';
import { sql } from 'kysely';
import type { Member } from '../core/actor.ts';
import type { Db } from '../db/open.ts';

/**
 * Reads which onboarding steps are finished, and counts the company's sites with the verdict open and those without a verdict.
 * Once all steps are finished, onboarding stays finished even if a step is undone later.
 */
export async function readProgress(db: Db, { companyId }: Member): Promise<Evidence> {
  const { rows } = await sql<Omit<Evidence, 'drifted'>>`
    select
      (select min(id) from sites where company_id = ${companyId}) is not null as "siteExists",
      exists (select from site_checks where company_id = ${companyId} and was_protected and not drifted) as "lockVerified",
      exists (select from policies p join proxies x on x.id = p.proxy_id where p.company_id = ${companyId}
        and (p.all_sites and x.all_sites or exists (
          select from policy_sites s where s.company_id = ${companyId} and s.policy_id = p.id))) as "policyHasSite",
      exists (select from site_checks where company_id = ${companyId} and shown_verdict in ('protected', 'closed'))
        as "lockFound",
      exists (select from users where company_id = ${companyId} and extension_seen_at is not null) as "extensionSeen",
      coalesce((select visited from companies where id = ${companyId}), false) as visited,
      coalesce((select first_steps_done from companies where id = ${companyId}), false) as "firstStepsDone",
      exists (select from policy_members l
        join policies p on p.company_id = l.company_id and p.id = l.policy_id
        join proxies x on x.id = p.proxy_id
        join users u on u.id = l.user_id and u.company_id = ${companyId} and u.roles <> '{CREATOR}'
        where l.company_id = ${companyId} and (p.all_sites and x.all_sites or exists (
          select from policy_sites s where s.company_id = ${companyId} and s.policy_id = l.policy_id)))
        as "userHasPolicy",
      (select count(*)::int from site_checks where company_id = ${companyId} and shown_verdict = 'open') as open,
      (select count(*)::int from sites s where s.company_id = ${companyId} and not exists (
        select from site_checks k where k.company_id = s.company_id and k.site_id = s.id and k.shown_verdict is not null))
        as unchecked`.execute(db);
  const { rows: drifted } = await sql<Drift>`
    select s.id, s.shown_address as name, k.shown_verdict as verdict, k.shown_at as "checkedAt"
    from site_checks k join sites s on s.company_id = k.company_id and s.id = k.site_id
    where k.company_id = ${companyId} and k.drifted and k.shown_at is not null
    order by s.id`.execute(db);
  const found = rows[0];
  if (found === undefined) throw new Error('the query returned no row');
  const { siteExists, policyHasSite, userHasPolicy, lockFound, lockVerified, visited } = found;
  const done = siteExists && policyHasSite && userHasPolicy && lockFound && lockVerified && visited;
  if (done && !found.firstStepsDone)
    // A read does not wait for a write that has locked the company. The next read stores the value.
    await sql`update companies set first_steps_done = true where id in (
      select id from companies where id = ${companyId} for no key update skip locked)`.execute(db);
  return { ...found, firstStepsDone: done || found.firstStepsDone, drifted };
}
