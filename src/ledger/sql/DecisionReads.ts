/* What a feedback reads before its settlement: its decision with its outcomes, and its earlier answer. */
import { type Context, Effect, Request, RequestResolver, Schema } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import type { RecommendationId } from "../../domain/RecommendationId.ts"
import type { AccountId } from "../../domain/Scope.ts"
import { gathered } from "../../sql/Groups.ts"
import { withStatementDeadline } from "../../sql/StatementDeadline.ts"
import type { FoundDecision } from "../Ledger.ts"
import type { Claim } from "../Settlement.ts"
import {
  decisionColumns, type DecisionDetailRow, type DecisionRow, detailColumns, toDecision
} from "./DecisionRow.ts"
import { readable } from "./RowCompatibility.ts"
import { storedAnswer } from "./StoredAnswer.ts"
import { createdAtOf, outcomesColumns, type StoredOutcomes, toDecisionOutcomes } from "./StoredOutcomes.ts"

interface Question {
  readonly recommendationId: RecommendationId
  readonly claim: Claim | null
}

class Read extends Request.Class<
  Question & { readonly accountId: AccountId },
  FoundDecision | null,
  SqlError.SqlError | Schema.SchemaError | UnreadableOutcomes
> {}

/** The stored outcomes of a decision do not have the shape that this version reads. */
class UnreadableOutcomes extends Schema.TaggedError<UnreadableOutcomes>()("UnreadableOutcomes", {
  cause: Schema.Defect()
}) {}

/** Most questions of one transaction, count. */
const readsMax = 64
/** Longest that a transaction may take, with its wait for a connection, ms: less than a feedback's budget. */
const readMsMax = 6_000

/** A row of the one statement: the answers, and one of the decisions, whose columns are null without any. */
type AnswersRow = { readonly answers: ReadonlyArray<{ readonly key: string }> }
  & Partial<DecisionRow & DecisionDetailRow & StoredOutcomes>

type FoundRow = DecisionRow & DecisionDetailRow & StoredOutcomes

const isFound = (row: AnswersRow): row is AnswersRow & FoundRow => row.recommendationId != null

/** The rows that the questions of one account are answered from, by what they are asked for with. */
interface ReadRows {
  readonly decisions: ReadonlyMap<RecommendationId, FoundRow>
  readonly answers: ReadonlyMap<string, object>
}

/** Decisions with their outcomes, as a relation. The time in an id determines the partition. */
export const foundBy = (
  sql: SqlClient.SqlClient,
  accountId: AccountId,
  ids: ReadonlyArray<RecommendationId>
) => {
  const moments = ids.map(createdAtOf)
  return sql`find_decisions(${accountId}, ${moments}::timestamptz[], ${ids}::uuid[]) as decided
    left join find_outcomes(${accountId}, ${moments}::timestamptz[], ${ids}::uuid[]) as reported
      using (account_id, created_at, recommendation_id)`
}

/** Reads what all questions ask for, in one statement that takes the account. */
const readAll = Effect.fnUntraced(function*(accountId: AccountId, questions: ReadonlyArray<Question>) {
  const sql = yield* SqlClient.SqlClient
  const ids = [...new Set(questions.map(({ recommendationId }) => recommendationId))]
  const keys = questions.flatMap(({ claim }) => claim === null ? [] : [claim.idempotencyKey])
  const rows = yield* sql<AnswersRow>`
    select answers, ${sql.literal(decisionColumns)}, ${sql.literal(detailColumns)},
      ${sql.literal(outcomesColumns)}
    from find_answers(${accountId}, ${keys}::text[]) as answers
    left join (${foundBy(sql, accountId, ids)}) on true`
  const decisions = yield* readable(rows.filter(isFound))
  const read: ReadRows = {
    decisions: new Map(decisions.map((row) => [row.recommendationId, row])),
    answers: new Map(rows[0]?.answers.map((row) => [row.key, row]))
  }
  return read
})

/**
 * The answer to one question. Outcomes or an answer that this version cannot read fail this question alone; a
 * decision that it cannot read counts as absent.
 */
const foundFor = Effect.fnUntraced(function*({ claim, recommendationId }: Question, rows: ReadRows) {
  const row = rows.decisions.get(recommendationId)
  if (row === undefined) return null
  const answer = claim === null ? undefined : rows.answers.get(claim.idempotencyKey)
  const known = yield* Effect.try({
    try: () => toDecisionOutcomes(row),
    catch: (cause) => new UnreadableOutcomes({ cause })
  })
  const found: FoundDecision = {
    decision: toDecision(row),
    known,
    answered: claim === null || answer === undefined ? null : yield* storedAnswer(answer, claim)
  }
  return found
})

/**
 * Reads outside any settlement. The questions of one account that are asked while the process is busy
 * share a transaction: those of one feedback, and of feedbacks that come together. The transaction belongs to
 * no caller: it goes on when a caller goes away, for at most `withinMs` milliseconds.
 */
export const makeDecisionReads = Effect.fnUntraced(function*(withinMs: number = readMsMax) {
  const own = yield* Effect.context<SqlClient.SqlClient>()

  const { batchKey, preCheck, runAll } = RequestResolver.makeGrouped<Read, AccountId>({
    key: ({ request }) => request.accountId,
    resolver: (entries, accountId) =>
      readAll(accountId, entries.map(({ request }) => request)).pipe(
        withStatementDeadline(withinMs),
        Effect.flatMap((rows) =>
          Effect.forEach(entries, (entry) =>
            Effect.map(Effect.exit(foundFor(entry.request, rows)), (exit) =>
              entry.completeUnsafe(exit)), { discard: true })),
        // A batch starts on its first call's services; a transaction open there is not for others to join.
        Effect.updateContext((_: Context.Context<never>) => own)
      )
  })
  const resolver = RequestResolver.makeWith<Read>({
    batchKey,
    preCheck,
    runAll,
    delay: gathered(() => false),
    collectWhile: ({ size }) => size < readsMax
  })
  return (
    accountId: AccountId,
    recommendationId: RecommendationId,
    claim: Claim | null
  ) => Effect.request(new Read({ accountId, recommendationId, claim }), resolver)
})
