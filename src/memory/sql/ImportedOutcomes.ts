/* Writes imported outcomes, many per statement, with what was read of their files. */
import { Effect } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import type { Observation } from "../../domain/MemoryWrite.ts"
import { withAccountLog } from "../../sql/AccountScope.ts"
import { retryTransient } from "../../sql/Transient.ts"
import { memorySettings } from "../MemorySettings.ts"
import { type AddedOutcomes, type ImportBatch, ImportTaken, type RunningImport } from "../OutcomeImport.ts"
import { lexicalIdentity } from "../../embedder/lexical/EmbedderLexical.ts"
import { foldStored } from "./StoreWrites.ts"

/** In the order in which they occurred, each id once. */
const inOrder = (outcomes: ReadonlyArray<Observation>): ReadonlyArray<Observation> =>
  [...new Map(outcomes.map((each) => [each.observationId, each])).values()]
    .sort((one, other) => one.occurredAt.getTime() - other.occurredAt.getTime())

/** Inserts the outcomes that the lane lacks, with the import's mark, and raises every counter of theirs. */
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

/**
 * Adds the batch's outcomes to the import, and notes what was read of its files, in one transaction. Fails
 * once another process has the import.
 */
export const addOutcomes = (
  running: RunningImport,
  batch: ImportBatch
): Effect.Effect<AddedOutcomes, SqlError.SqlError | ImportTaken, SqlClient.SqlClient> =>
  withAccountLog(running.accountId, 0)(Effect.fnUntraced(function*() {
    const sql = yield* SqlClient.SqlClient
    const { accountId, claim, importId } = running
    const mine = sql`account_id = ${accountId} and import_id = ${importId}::uuid`
    // Locked, since what stops or resumes an import does not wait for the log.
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
