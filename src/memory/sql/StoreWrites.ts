/* Stores a batch of writes in the transaction that has locked the account's log. */
import { Clock, Effect } from "effect"
import type { SqlClient, SqlError } from "effect/sql"
import type { MemoryWrite } from "../../domain/MemoryWrite.ts"
import type { FoldRule } from "../fold/FoldState.ts"
import { fold, type Folded } from "../fold/FoldWrites.ts"
import { touchedBy } from "../fold/TouchedKeys.ts"
import { readState } from "./FoldRead.ts"
import { writeRows } from "./FoldWrite.ts"

/** Reads the rows that the writes need, applies the writes, and stores the changed rows. */
export const foldStored = Effect.fnUntraced(function*(
  writes: ReadonlyArray<MemoryWrite>,
  rule: Omit<FoldRule, "nowMs">
): Effect.fn.Return<Folded, SqlError.SqlError, SqlClient.SqlClient> {
  const { accountId, settings } = rule
  const state = yield* readState(accountId, touchedBy(writes, settings.reinforcedEntriesMax))
  const folded = fold(state, writes, { ...rule, nowMs: yield* Clock.currentTimeMillis })
  yield* writeRows(accountId, folded.rows)
  return folded
})
