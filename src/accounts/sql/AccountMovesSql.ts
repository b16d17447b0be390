/* Driver of {@link AccountMoves}: the service's own database. */
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import type { AccountId } from "../../domain/Scope.ts"
import { LedgerUnavailable } from "../../ledger/Ledger.ts"
import { mapLedgerErrors } from "../../ledger/sql/LedgerErrors.ts"
import { makeReadCache } from "../../resilience/ReadCache.ts"
import { callAs } from "../../sql/AccountScope.ts"
import { AccountMoves } from "../AccountMoves.ts"

/** Longest time until a move is seen, ms, if it is read as fast; `moveSettings.closingMs` is longer. */
const freshMs = 500
/** Pause after a failed read, ms. */
const pauseMs = 500
/** Accounts remembered, count; each takes about a hundred bytes. Names in forged tokens take places too. */
const capacity = 10_000

const make = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const guarded = mapLedgerErrors(sql)
  const known = yield* makeReadCache<boolean, LedgerUnavailable>({
    // It holds from the beginning of the read.
    capacity, freshMs: (tookMs) => Math.max(0, freshMs - tookMs), staleMs: freshMs, pauseMs,
    late: LedgerUnavailable.timedOut
  })
  const select = (accountId: AccountId) =>
    guarded(accountId, Effect.map(
      sql<{ readonly isClosed: boolean }>`select is_closed_to_votes(${accountId}) as "isClosed"`,
      ([row]) => row?.isClosed === true
    ), callAs)
  return {
    isClosedToVotes: (accountId: AccountId) =>
      known.read(accountId, () => select(accountId)).pipe(
        Effect.catchTag("LedgerUnavailable", () => Effect.succeed(false))
      )
  }
})

/** In the service's own database, on either engine. */
export const layer: Layer.Layer<never, never, SqlClient.SqlClient> = Layer.effect(AccountMoves, make)
