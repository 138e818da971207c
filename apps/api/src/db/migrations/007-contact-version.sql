alter table contact add column version int not null default 1;
