-- What the browser extension of a session reported last. An older api leaves the columns null.
alter table sessions
  -- The name of the client with its version.
  add column reported_client text,
  add column proxy_held_by text;
