-- Whether a session was told a gateway token: signing out of such a one ends the person's gateway tokens. Of sessions that
-- were opened before nobody knows; they count as told.
alter table sessions add told_access boolean not null default true;
alter table sessions alter told_access set default false;
