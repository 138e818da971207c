-- Changes of a proxy or of its egress addresses look up policies by the proxy alone. The foreign key check of a deleted proxy also
-- uses this index.
create index policies_of_proxy on policies (proxy_id, proxy_owner_id);
-- Each api looks for ends of trials and plans once a minute.
create index companies_trial_end on companies (trial_ends_at) where trial_ends_at is not null;
create index companies_plan_end on companies (plan_ends_at) where plan_ends_at is not null;
drop index policies_proxy, companies_ends;
