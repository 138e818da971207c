-- Paths that a probe requests besides the first page, and URLs that the owner leaves open to strangers.
alter table sites
  add column start_paths text[] not null default '{}',
  add column open_paths text[] not null default '{}';

alter table site_checks
  -- The sample paths that the last reading of the site's pages selected, and those of them that were open to strangers.
  add column sample jsonb,
  -- The version of the probe rules that led to the last verdict other than `unknown`.
  add column rules int not null default 0;

-- When the address of a site changes, its verdict and its sample paths become invalid.
create or replace function forget_check() returns trigger language plpgsql as $$
begin
  update site_checks set state = 'waiting', run = null, begun_at = null, started_at = now(), finished_at = null,
    steps = '[]', verdict = null, meaning = null, advice = null, shown_verdict = null, shown_at = null,
    was_protected = false, drifted = false, fingerprint = null, sample = null
    where company_id = new.company_id and site_id = new.id;
  return null;
end $$;
