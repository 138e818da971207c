-- For the search in the users of all companies. Like `userText` in `users/store.ts`, the expression replaces U+0451 with U+0435.
create index users_text_trgm on users
  using gin (translate(name || ' ' || surname || ' ' || email::text, U&'\0451\0401', U&'\0435\0415') gin_trgm_ops);
drop index users_name_trgm, users_surname_trgm, users_email_trgm;
