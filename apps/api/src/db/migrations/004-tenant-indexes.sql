-- Indexes that begin with the company, so that the time of a company's query does not depend on the rows of other companies.
create index records_user_of_company on records (company_id, user_id, started_at) where user_id is not null;
create index records_site_of_company on records (company_id, site_id, started_at) where site_id is not null;
create index proxies_company on proxies (company_id);
create index vantages_of_company on vantages (company_id, id);
-- Finds the recipients of mails to the platform: the users with the role ADMIN.
create index users_admins on users (id) where roles @> '{ADMIN}';
-- For the deletion of expired rows. The index is on an expression, so that queries of one company never scan this index.
create index record_hours_expiry on record_hours ((hour at time zone 'UTC'));
drop index records_user, records_site, vantages_company, record_hours_age;
