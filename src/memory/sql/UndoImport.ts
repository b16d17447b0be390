/* Undoes an import. */
import { Effect } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { randomUUID } from "node:crypto"
import { withAccount, withAccountLog } from "../../sql/AccountScope.ts"
import { retryTransient } from "../../sql/Transient.ts"
import type { MemorySettings } from "../MemorySettings.ts"
import { type DeletedOutcomes, type ImportId, UnknownImport } from "../OutcomeImport.ts"
import { addUpRecords, deleteRows, takeBackVotes } from "./DeleteOutcomes.ts"
import { rewriteLane } from "./LaneVersions.ts"

/** Maximum number of outcomes deleted in one transaction, which a feedback may wait for. */
const batchRows = 2_000

type SqlEffect<A, E = never> = Effect.Effect<A, E | SqlError.SqlError, SqlClient.SqlClient>

const firstId = "00000000-0000-0000-0000-000000000000"

/** Stops all processes from adding to the import. Returns the lane of the import. */
const stopImport = ({ accountId, importId }: ImportId): SqlEffect<string, UnknownImport> =>
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const [row] = yield* sql<{ readonly lane: string }>`update import
      set state = 'undoing', claim = ${randomUUID()}::uuid, updated_at = clock_timestamp()
      where account_id = ${accountId} and import_id = ${importId}::uuid returning lane`
    return row === undefined ? yield* new UnknownImport({ accountId, importId }) : row.lane
  }).pipe(withAccount(accountId), retryTransient)

const deleteNext = (
  { accountId, importId }: ImportId,
  lane: string,
  after: string
): SqlEffect<ReadonlyArray<string>> =>
  withAccountLog(accountId, 0)(Effect.fnUntraced(function*() {
    const sql = yield* SqlClient.SqlClient
    const mine = sql`account_id = ${accountId} and lane = ${lane}`
    const rows = yield* sql<{ readonly id: string }>`select observation_id::text as id from observation
      where ${mine} and observation_id > ${after}::uuid and import_id = ${importId}::uuid
      order by observation_id limit ${batchRows}`
    const ids = rows.map(({ id }) => id)
    if (ids.length > 0) {
      yield* takeBackVotes({ accountId, ids, lane })
      yield* deleteRows({ accountId, ids, lane })
    }
    return ids
  })).pipe(retryTransient)

const finish = (id: ImportId, lane: string, settings: MemorySettings): SqlEffect<void> =>
  withAccountLog(id.accountId, 0)(Effect.fnUntraced(function*() {
    const sql = yield* SqlClient.SqlClient
    const { accountId, importId } = id
    yield* addUpRecords({ accountId, lane, ids: null })
    yield* sql`delete from reflection where account_id = ${accountId} and lane = ${lane}
      and observation_id = ${importId}::uuid`
    yield* rewriteLane({ accountId, lane }, settings)
    yield* sql`delete from import where account_id = ${accountId} and import_id = ${importId}::uuid`
  })).pipe(retryTransient)

/** Deletes an import and its outcomes, and derives the lane's records and lessons again. */
export const undoImport = Effect.fnUntraced(function*(
  id: ImportId,
  settings: MemorySettings,
  report: (outcomes: number) => void
): Effect.fn.Return<DeletedOutcomes, SqlError.SqlError | UnknownImport, SqlClient.SqlClient> {
  const lane = yield* stopImport(id)
  let outcomes = 0
  for (let after = firstId;;) {
    const ids = yield* deleteNext(id, lane, after)
    const last = ids.at(-1)
    if (last === undefined) break
    outcomes += ids.length
    after = last
    report(outcomes)
    yield* Effect.yieldNow
  }
  yield* finish(id, lane, settings)
  return { lane, outcomes }
})
