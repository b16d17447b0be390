/* The driver of `LaneCalibrations`: the service's own database, with a cache in the process. */
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import type { AccountId, Lane } from "../../domain/Scope.ts"
import { makeReadCache } from "../../resilience/ReadCache.ts"
import { callAs } from "../../sql/AccountScope.ts"
import type { LaneNumbers } from "../../stats/LaneNumbers.ts"
import { LaneCalibrations } from "../LaneCalibration.ts"
import { LedgerUnavailable } from "../Ledger.ts"
import { mapLedgerErrors } from "./LedgerErrors.ts"

/** Age up to which cached numbers are used, ms: less than the second that `LaneCalibrations` promises. */
const freshMs = 750
const capacity = 10_000

const columns = `outcomes::float8 as outcomes, local_share as "localShare",
  coalesce(spread_evidence, '{}') as "spreadEvidence"`

const keyOf = (accountId: AccountId, lane: Lane): string => JSON.stringify([accountId, lane])

const make = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const guarded = mapLedgerErrors(sql)
  const select = Effect.fnUntraced(function*(accountId: AccountId, lane: Lane) {
    const [row] = yield* sql<LaneNumbers>`
      select ${sql.literal(columns)} from lane_numbers_of(${accountId}, ${lane})`
    return row ?? null
  })

  const known = yield* makeReadCache<LaneNumbers | null, LedgerUnavailable>({
    capacity, freshMs, pauseMs: 0, late: LedgerUnavailable.timedOut
  })

  /** Caches the lane's numbers after a report, unless the cached numbers have more outcomes. */
  const remember = (key: string, numbers: LaneNumbers) =>
    known.store(key, numbers, (held) => held !== null && held.outcomes > numbers.outcomes)

  return LaneCalibrations.of({
    read: (accountId, lane) =>
      known.read(keyOf(accountId, lane), () => guarded(accountId, select(accountId, lane), callAs)),
    remember: (accountId, lane, numbers) => remember(keyOf(accountId, lane), numbers)
  })
})

export const layer: Layer.Layer<LaneCalibrations, never, SqlClient.SqlClient> =
  Layer.effect(LaneCalibrations, make)
