/* The function of migration 25 that keeps lessons. */

/**
 * Keeps lessons; one with the same id is kept once. One that came with a label is not kept when its outcome
 * has another by now.
 */
export const keepLessons = {
  name: "keep_lessons",
  parameters: "lessons json",
  returns: "void",
  body: `insert into lesson (account_id, lane, lesson_id, lesson_type, scope, content, cluster, model_id,
      importance, confidence, base_confidence, occurred_at, topic, user_id, error_fingerprint, error_type,
      error_headline, error_tokens)
    select account, lane, lesson_id, lesson_type, scope, content, cluster, model_id, importance, confidence,
      base_confidence, occurred_at, topic, user_id, error_fingerprint, error_type, error_headline,
      error_tokens
    from json_to_recordset(lessons) as given (lesson_id text, lane text, lesson_type text, scope text,
      content text, cluster text, model_id text, importance float8, confidence float8,
      base_confidence float8, occurred_at timestamptz, topic text, user_id text, error_fingerprint text,
      error_type text, error_headline text, error_tokens text[], revision bigint, outcome_id uuid)
    -- Looked up one by one: a join was planned by a scan of all outcomes.
    where (select o.verdict_revision > given.revision from observation o where o.account_id = account
      and o.lane = given.lane and o.observation_id = given.outcome_id) is not true
    on conflict do nothing;`
}
