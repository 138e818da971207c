-- For the search for users over the whole platform. The expression is `userText` of `users/store.ts`: the letter U+0451 equals U+0435.
create index users_text_trgm on users
  using gin (translate(name || ' ' || surname || ' ' || email::text, U&'\0451\0401', U&'\0435\0415') gin_trgm_ops);
drop index users_name_trgm, users_surname_trgm, users_email_trgm;
