/* Migration 25 adds the functions that settle feedbacks of one account in one statement. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { accountFunction } from "../AccountFunction.ts"
import { applicationRole } from "../AccountScope.ts"
import { serviceRole } from "../ServiceRole.ts"
import { castVotes, entryReliability } from "../functions/CastVotes.ts"
import { keepLessons } from "../functions/KeepLessons.ts"
import { settleFeedbacks } from "../functions/SettleFeedbacks.ts"
import { teachOutcomes } from "../functions/TeachOutcomes.ts"

/** Decisions of these moments and ids, whole: what a reader does not select is not fetched. */
const findDecisions = {
  name: "find_decisions",
  parameters: "moments timestamptz[], ids uuid[]",
  returns: "setof decision",
  body: `return query select d.* from decision d
    where d.account_id = account and d.created_at = any(moments) and d.recommendation_id = any(ids);`
}

/** An element for each of the keys under which a feedback is settled: its key, fingerprint and response. */
const findAnswers = {
  name: "find_answers",
  parameters: "keys text[]",
  returns: "json",
  body: `return (select coalesce(json_agg(each), '[]') from (
    select f.idempotency_key as key, f.fingerprint, f.response from feedback_key f
    where f.account_id = account and f.response is not null and f.idempotency_key = any(keys)
  ) as each);`
}

/** The functions that settle feedbacks, those that another calls before it. */
export const settlementFunctions = [
  findDecisions, findAnswers, teachOutcomes(), castVotes, keepLessons, settleFeedbacks
]

/** The reads and writes of feedbacks, each for all of a group, and the function that calls the writes. */
export const settlements = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`${sql.literal(entryReliability)}`
  yield* sql`grant execute on function entry_reliability
    to ${sql(applicationRole)}, ${sql(serviceRole)}`
  for (const each of settlementFunctions) yield* accountFunction(sql, each)
})
