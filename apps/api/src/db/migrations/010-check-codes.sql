-- Messages of probes are stored as {code, params} and rendered at the HTTP edge. Sentences of earlier versions become the
-- code `legacy`, so that old rows stay readable.
create function legacy_message(sentence text) returns jsonb language sql immutable as $$
  select case when sentence is not null
    then jsonb_build_object('code', 'legacy', 'params', jsonb_build_object('text', sentence)) end
$$;

alter table site_checks
  alter meaning type jsonb using legacy_message(meaning),
  alter advice type jsonb using legacy_message(advice);
alter table proxy_learning alter problem type jsonb using legacy_message(problem);

update site_checks set steps = (
  select jsonb_agg(step || jsonb_build_object(
    'title', legacy_message(step ->> 'title'), 'detail', legacy_message(nullif(step ->> 'detail', ''))) order by place)
  from jsonb_array_elements(steps) with ordinality as each (step, place))
where steps <> '[]';

drop function legacy_message;
