-- Finds the policies of a proxy. Triggers do so when the proxy or its egress addresses change. PostgreSQL does so when the proxy
-- is deleted, for the foreign key check.
create index policies_of_proxy on policies (proxy_id, proxy_owner_id);
-- Once a minute, each api looks for trials and plans that have ended.
create index companies_trial_end on companies (trial_ends_at) where trial_ends_at is not null;
create index companies_plan_end on companies (plan_ends_at) where plan_ends_at is not null;
drop index policies_proxy, companies_ends;
