-- Whether gateways have recorded a visit of the company, and whether the company has finished the first steps. Both values stay
-- true after the records expire or the sites are deleted.
alter table companies
  add column visited boolean not null default false,
  add column first_steps_done boolean not null default false;
-- Older releases counted the first use of the extension as the first visit.
update companies c set visited = true
  where exists (select from record_hours h where h.company_id = c.id and h.visits > 0 and h.reason = '')
    or exists (select from users u where u.company_id = c.id and u.extension_seen_at is not null);
update companies c set first_steps_done = true
  where visited and exists (select from site_checks k where k.company_id = c.id and k.was_protected);
