-- The visits that a record sums up: more than one when their user or company had used up its budget of records.
alter table records add column visits int not null default 1;
