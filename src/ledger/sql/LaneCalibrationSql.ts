/* The lane calibrations in the service's own database, cached by the process. */
import { Array as Arr, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import type { AccountId, Lane } from "../../domain/Scope.ts"
import { makeReadCache } from "../../resilience/ReadCache.ts"
import { callAs } from "../../sql/AccountScope.ts"
import { batchWrites } from "../../sql/BatchWrites.ts"
import type { LaneNumbers } from "../../stats/LaneNumbers.ts"
import { LaneCalibrations } from "../LaneCalibration.ts"
import { LedgerUnavailable } from "../Ledger.ts"
import { mapLedgerErrors } from "./LedgerErrors.ts"

/**
 * How long another process's change may go unseen, ms: of the second promised, the rest is for the reading.
 */
const freshMs = 750
/** Lanes remembered per process; one takes a few hundred bytes. */
const capacity = 10_000

/** In SQL, as {@link LaneNumbers}; counts are below 2^53 and come as numbers. */
const columns = `outcomes::float8 as outcomes, similarity_low as "similarityLow",
  similarity_high as "similarityHigh", local_share as "localShare", cells_error as "cellsError",
  mixed_error as "mixedError"`

const keyOf = (accountId: AccountId, lane: Lane): string => JSON.stringify([accountId, lane])

interface Change {
  readonly accountId: AccountId
  readonly lane: Lane
  readonly next: (now: LaneNumbers | null) => LaneNumbers
}

/** The statements on a lane's row. */
const makeRowStatements = (sql: SqlClient.SqlClient) => {
  const select = Effect.fnUntraced(function*(accountId: AccountId, lane: Lane) {
    const [row] = yield* sql<LaneNumbers>`
      select ${sql.literal(columns)} from lane_numbers_of(${accountId}, ${lane})`
    return row ?? null
  })

  /** The lane's next numbers, under its row's lock until the transaction ends; null without a row. */
  const advance = Effect.fnUntraced(function*(
    accountId: AccountId,
    lane: Lane,
    next: (now: LaneNumbers) => LaneNumbers
  ) {
    const [now] = yield* sql<LaneNumbers>`select ${sql.literal(columns)} from lane_numbers
      where account_id = ${accountId} and lane = ${lane} for update`
    if (now === undefined) return null
    const changed = next(now)
    yield* sql`update lane_numbers set outcomes = ${changed.outcomes},
        similarity_low = ${changed.similarityLow}, similarity_high = ${changed.similarityHigh},
        local_share = ${changed.localShare}, cells_error = ${changed.cellsError},
        mixed_error = ${changed.mixedError}
      where account_id = ${accountId} and lane = ${lane}`
    return changed
  })

  /** Null when the row is there already; waits while another settlement creates it. */
  const create = Effect.fnUntraced(function*(accountId: AccountId, lane: Lane, fresh: LaneNumbers) {
    const inserted = yield* sql`insert into lane_numbers (account_id, lane, outcomes, similarity_low,
        similarity_high, local_share, cells_error, mixed_error)
      values (${accountId}, ${lane}, ${fresh.outcomes}, ${fresh.similarityLow}, ${fresh.similarityHigh},
        ${fresh.localShare}, ${fresh.cellsError}, ${fresh.mixedError})
      on conflict do nothing returning true as inserted`
    return inserted.length > 0 ? fresh : null
  })

  return { select, advance, create }
}

const make = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const guarded = mapLedgerErrors(sql)
  const { advance, create, select } = makeRowStatements(sql)

  const known = yield* makeReadCache<LaneNumbers | null, LedgerUnavailable>({
    capacity, freshMs, pauseMs: 0, late: LedgerUnavailable.timedOut
  })

  /** A slower settlement's numbers must not hide those of one that came after it. */
  const remember = (key: string, numbers: LaneNumbers) =>
    known.store(key, numbers, (held) => held !== null && held.outcomes >= numbers.outcomes)

  /** Changes each lane's numbers once for all its changes; in one order, against deadlocks. */
  const changeAll = batchWrites(Effect.fnUntraced(function*(changes: Arr.NonEmptyReadonlyArray<Change>) {
    const byLane = Object.values(Arr.groupBy(changes, ({ lane }) => lane))
    for (const own of byLane.sort(([a], [b]) => a.lane < b.lane ? -1 : 1)) {
      const [{ accountId, lane, next: first }, ...others] = own
      const next = (now: LaneNumbers | null) =>
        others.reduce((numbers, each) => each.next(numbers), first(now))
      const numbers = (yield* advance(accountId, lane, next))
        ?? (yield* create(accountId, lane, next(null)))
        // Another settlement created the row meanwhile, and rows are never deleted.
        ?? (yield* advance(accountId, lane, next))
      if (numbers !== null) yield* sql.afterCommit(remember(keyOf(accountId, lane), numbers))
    }
    return () => {}
  }))

  return LaneCalibrations.of({
    read: (accountId, lane) =>
      known.read(keyOf(accountId, lane), () => guarded(accountId, select(accountId, lane), callAs)),
    change: (accountId, lane, next) => guarded(accountId, changeAll({ accountId, lane, next })),
    remember: (accountId, lane, numbers) => remember(keyOf(accountId, lane), numbers)
  })
})

/** In the service's own database, on either engine. */
export const layer: Layer.Layer<LaneCalibrations, never, SqlClient.SqlClient> =
  Layer.effect(LaneCalibrations, make)
