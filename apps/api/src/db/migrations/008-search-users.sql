-- For the search for users of all companies. The expression is the same as `userText` in `users/store.ts`: U+0451 becomes U+0435.
create index users_text_trgm on users
  using gin (translate(name || ' ' || surname || ' ' || email::text, U&'\0451\0401', U&'\0435\0415') gin_trgm_ops);
drop index users_name_trgm, users_surname_trgm, users_email_trgm;
