-- The beginning of a transaction that applies reports.

-- Takes the next revisions of the account's log (`take_revisions`), and reads under the log's lock: the last revision, the
-- earlier answers to the given keys, the given decisions with the results of their reports, and the numbers of the given
-- lanes. `has_broken` is true if the infrastructure broke a call of the account in the last ten minutes.
create or replace function take_reports(account text, added int, keys text[], moments timestamptz[], ids uuid[],
  lanes text[]) returns table (revision float8, answers json, decisions json, numbers json, has_broken boolean)
  language plpgsql as $$
declare
  last float8 := take_revisions(account, added);
  -- With these bounds PostgreSQL skips the partitions of other months.
  earliest timestamptz := (select min(each) from unnest(moments) as each);
  latest timestamptz := (select max(each) from unnest(moments) as each);
begin
  return query select last, (
      select json_agg(held) from unnest(keys) as given (key), lateral (
        select r.idempotency_key as key, r.fingerprint, r.response from report r
        where r.account_id = account and r.idempotency_key = given.key and r.idempotency_key <> '' offset 0
      ) as held
    ), (
      select json_agg(json_build_object('id', f.recommendation_id, 'taskKey', f.task_key, 'outcomes', o.outcomes))
      from unnest(moments, ids) as given (moment, id), lateral (
        select d.recommendation_id, d.task_key from decision_figures d where d.account_id = account
          and d.created_at = given.moment and d.recommendation_id = given.id
          and d.created_at between earliest and latest offset 0
      ) as f left join lateral (
        select t.outcomes from outcome t where t.account_id = account and t.created_at = given.moment
          and t.recommendation_id = given.id and t.created_at between earliest and latest offset 0
      ) as o on true
    ), (
      select json_agg(json_build_object('lane', n.lane, 'outcomes', n.outcomes, 'localShare', n.local_share,
        'spreadEvidence', coalesce(n.spread_evidence, '{}')))
      from unnest(lanes) as given (lane), lateral (
        select * from lane_numbers l where l.account_id = account and l.lane = given.lane offset 0
      ) as n
    ), exists (
      select from model_call c where c.account_id = account and c.failed_at > now() - interval '10 minutes'
    );
end $$;

grant execute on function take_reports to sextant_app, sextant_service;
