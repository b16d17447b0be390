/* Writes imported outcomes, many per statement, with what was read of their files. */
import { Effect } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { excerptOf } from "../../domain/Task.ts"
import { withAccount } from "../../sql/AccountScope.ts"
import { wellFormedJson } from "../../sql/RowSet.ts"
import { retryTransient } from "../../sql/Transient.ts"
import type { Observation } from "../MemoryWrite.ts"
import { type AddedOutcomes, type ImportBatch, ImportTaken, type RunningImport } from "../OutcomeImport.ts"
import { takeVersions } from "./LaneVersions.ts"
import { observationRow } from "./ObservationRow.ts"

/** The rows of a batch, in the order in which they occurred, each id once. */
const rowsOf = (importId: string, outcomes: ReadonlyArray<Observation>) => {
  const byId = new Map(outcomes.map((each) => [each.observationId, each]))
  return [...byId.values()]
    .sort((one, other) => one.occurredAt.getTime() - other.occurredAt.getTime())
    .map((observation, position) => ({
      position,
      import_id: importId,
      ...observationRow({ observation, vectors: observation.taskVectors ?? [], reflectionEvery: 0 })
    }))
}

/** What `tell_outcomes` yields. */
interface ToldRow {
  readonly position: number
  readonly isNew: boolean
}

/** Inserts the outcomes that the lane lacks, with the import's mark, and raises every counter of theirs. */
const insertOutcomes = Effect.fnUntraced(function*(
  { accountId }: RunningImport,
  rows: ReturnType<typeof rowsOf>
): Effect.fn.Return<AddedOutcomes, SqlError.SqlError, SqlClient.SqlClient> {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql<{ readonly told: ReadonlyArray<ToldRow> }>`
    select tell_outcomes(${accountId}, ${wellFormedJson(rows)}::text::json) as told`
  const added = (row?.told ?? []).filter(({ isNew }) => isNew)
  return { added: added.length, taught: added.filter(({ position }) => rows[position]?.teaches).length }
})

/** Keeps the words of the outcomes that teach and have none, among those that an import added. */
const insertTexts = Effect.fnUntraced(function*(
  { accountId, lane }: RunningImport,
  outcomes: ReadonlyArray<Observation>
): Effect.fn.Return<void, SqlError.SqlError, SqlClient.SqlClient> {
  const sql = yield* SqlClient.SqlClient
  const texts = outcomes.filter(({ task, teaches }) => teaches && task !== "")
    .map(({ observationId, task }) => ({ id: observationId, task: excerptOf(task) }))
  if (texts.length === 0) return
  yield* sql`insert into observation_text (account_id, lane, observation_id, task)
    select ${accountId}::text, ${lane}::text, o.observation_id, given.task
    from json_to_recordset(${wellFormedJson(texts)}::text::json) as given (id uuid, task text)
    join observation o on o.account_id = ${accountId} and o.lane = ${lane} and o.observation_id = given.id
    where o.import_id is not null
    on conflict do nothing`
})

/**
 * Adds the batch's outcomes to the import, and notes what was read of its files, in one transaction. Fails
 * once another process has the import.
 */
export const addOutcomes = (
  running: RunningImport,
  { isTextKept, leftOut, outcomes, rowsRead }: ImportBatch
): Effect.Effect<AddedOutcomes, SqlError.SqlError | ImportTaken, SqlClient.SqlClient> =>
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const { accountId, claim, importId } = running
    const mine = sql`account_id = ${accountId} and import_id = ${importId}::uuid`
    // Locked before the lane, as an undo locks them.
    const [own] = yield* sql`select 1 as one from import
      where ${mine} and claim = ${claim}::uuid and state = 'running' for update`
    if (own === undefined) return yield* new ImportTaken({ importId })
    let written: AddedOutcomes = { added: 0, taught: 0 }
    if (outcomes.length > 0) {
      // As many as there are rows, which all get the last: a reader that is behind by fewer reads them all.
      yield* takeVersions(running, outcomes.length)
      written = yield* insertOutcomes(running, rowsOf(importId, outcomes))
      if (isTextKept) yield* insertTexts(running, outcomes)
    }
    yield* sql`update import set rows_read = ${rowsRead}, added = added + ${written.added},
        left_out = ${JSON.stringify(leftOut)}::text::jsonb, updated_at = clock_timestamp()
      where ${mine}`
    return written
  }).pipe(withAccount(running.accountId), retryTransient)
