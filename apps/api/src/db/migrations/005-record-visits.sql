-- The number of visits that a record covers: more than 1 when the user or company had used up its budget of records.
alter table records add column visits int not null default 1;
