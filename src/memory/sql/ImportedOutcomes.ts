/* Writes imported outcomes, many in one statement, and how far the files are read. */
import { Effect } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import type { Observation } from "../../domain/MemoryWrite.ts"
import { withAccountLog } from "../../sql/AccountScope.ts"
import { retryTransient } from "../../sql/Transient.ts"
import { memorySettings } from "../MemorySettings.ts"
import { type AddedOutcomes, type ImportBatch, ImportTaken, type RunningImport } from "../OutcomeImport.ts"
import { lexicalIdentity } from "../../embedder/lexical/EmbedderLexical.ts"
import { foldStored } from "./StoreWrites.ts"

/** If an id occurs several times in a batch, only its last outcome in the batch is kept. */
const inOrder = (outcomes: ReadonlyArray<Observation>): ReadonlyArray<Observation> =>
  [...new Map(outcomes.map((each) => [each.observationId, each])).values()]
    .sort((one, other) => one.occurredAt.getTime() - other.occurredAt.getTime())

/** Inserts the outcomes that the lane does not have, marks them with the import, and counts them. */
const insertOutcomes = Effect.fnUntraced(function*(
  { accountId, importId }: RunningImport,
  { isTextKept, outcomes }: ImportBatch
): Effect.fn.Return<AddedOutcomes, SqlError.SqlError, SqlClient.SqlClient> {
  const writes = inOrder(outcomes).map((body) => ({ kind: "teach", body }) as const)
  const { rows: { placed } } = yield* foldStored(writes, {
    accountId, importId, settings: memorySettings, embedders: [lexicalIdentity], keepsWords: isTextKept
  })
  return { added: placed.length, taught: placed.filter(({ teaches }) => teaches).length }
})

/** Adds a batch; fails if another process undoes the import or has taken it over. */
export const addOutcomes = (
  running: RunningImport,
  batch: ImportBatch
): Effect.Effect<AddedOutcomes, SqlError.SqlError | ImportTaken, SqlClient.SqlClient> =>
  withAccountLog(running.accountId, 0)(Effect.fnUntraced(function*() {
    const sql = yield* SqlClient.SqlClient
    const { accountId, claim, importId } = running
    const mine = sql`account_id = ${accountId} and import_id = ${importId}::uuid`
    // The import's row is locked, because a process that undoes or takes over the import does not lock the
    // log.
    const [own] = yield* sql`select 1 as one from import
      where ${mine} and claim = ${claim}::uuid and state = 'running' for update`
    if (own === undefined) return yield* new ImportTaken({ importId })
    const written = batch.outcomes.length === 0
      ? { added: 0, taught: 0 }
      : yield* insertOutcomes(running, batch)
    yield* sql`update import set rows_read = ${batch.rowsRead}, added = added + ${written.added},
        left_out = ${JSON.stringify(batch.leftOut)}::text::jsonb, updated_at = clock_timestamp()
      where ${mine}`
    return written
  })).pipe(retryTransient)
