/* The lane calibrations in the service's own database, cached by the process. */
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import type { AccountId, Lane } from "../../domain/Scope.ts"
import { makeReadCache } from "../../resilience/ReadCache.ts"
import { callAs } from "../../sql/AccountScope.ts"
import type { LaneNumbers } from "../../stats/LaneNumbers.ts"
import { LaneCalibrations } from "../LaneCalibration.ts"
import { LedgerUnavailable } from "../Ledger.ts"
import { mapLedgerErrors } from "./LedgerErrors.ts"

/**
 * How long a process may miss another one's change, ms. One second is promised; reading takes the rest.
 */
const freshMs = 750
/** Lanes remembered per process; one takes a few hundred bytes. */
const capacity = 10_000

/** In SQL, as {@link LaneNumbers}; counts are below 2^53 and come as numbers. */
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

  /** A slower report's numbers must not hide those of one that came after it. */
  const remember = (key: string, numbers: LaneNumbers) =>
    known.store(key, numbers, (held) => held !== null && held.outcomes > numbers.outcomes)

  return LaneCalibrations.of({
    read: (accountId, lane) =>
      known.read(keyOf(accountId, lane), () => guarded(accountId, select(accountId, lane), callAs)),
    remember: (accountId, lane, numbers) => remember(keyOf(accountId, lane), numbers)
  })
})

/** In the service's own database, on either engine. */
export const layer: Layer.Layer<LaneCalibrations, never, SqlClient.SqlClient> =
  Layer.effect(LaneCalibrations, make)
