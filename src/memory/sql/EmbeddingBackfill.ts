/* Gives outcomes that lack a vector of the embeddings endpoint one, in the background. */
import { Clock, Effect, Latch } from "effect"
import type { SqlClient, SqlError } from "effect/sql"
import { withAccount } from "../../sql/AccountScope.ts"
import type { RemoteEmbedder } from "../../embedder/Embedder.ts"
import type { LaneId } from "../../domain/Scope.ts"
import type { PlacingRule } from "../MemorySettings.ts"
import { insertEmbedded, selectUnembedded } from "./EmbeddingRows.ts"
import { quantise } from "../index/VectorRows.ts"

/** What a pass over a lane left: nothing, outcomes that cannot be placed, or an endpoint that failed. */
type Left = "nothing" | "unplaceable" | "failed"

interface BackfillRequest {
  readonly scope: LaneId
  /** Not before; Infinity while its pass runs. */
  atMs: number
  /** Outcomes came to it since it was last looked at. */
  isFresh: boolean
}

export interface EmbeddingBackfill {
  /**
   * Asks for the lane's outcomes to be placed soon. `isFresh`: there is one that was never tried; else a lane
   * that was lately found to be in vain is left alone.
   */
  readonly request: (scope: LaneId, nowMs: number, isFresh: boolean) => void
}

/**
 * Gives outcomes the endpoint's vectors that had none when they were taught, or were taught before there was
 * an endpoint: a page at a time, newest first, one lane after another, in the scope's background. Every
 * process places for the lanes that it serves; two of them do it twice, and once in effect.
 */
export const makeEmbeddingBackfill = Effect.fnUntraced(function*(
  endpoint: RemoteEmbedder,
  rule: PlacingRule,
  onPlaced: (scope: LaneId, version: number, nowMs: number) => void
) {
  const requests = new Map<string, BackfillRequest>()
  const wake = yield* Latch.make()

  /** Places the whole lane, and yields what is left of it. */
  const placeLane = Effect.fnUntraced(function*(
    scope: LaneId
  ): Effect.fn.Return<Left, SqlError.SqlError, SqlClient.SqlClient> {
    const inAccount = withAccount(scope.accountId)
    let before: string | null = null
    let left: Left = "nothing"
    for (;;) {
      // Neither transaction is open while the endpoint is asked: it may take its time.
      const page: Effect.Success<ReturnType<typeof selectUnembedded>> = yield* inAccount(
        selectUnembedded(scope, endpoint.identity, { before, rows: rule.pageRows })
      )
      const known = page.flatMap(({ observationId, task }) => task === null ? [] : [{ observationId, task }])
      const vectors = known.length === 0
        ? []
        : yield* endpoint.embedAll(known.map(({ task }) => task)).pipe(
          Effect.catch(({ message }) =>
            Effect.as(Effect.logDebug("Outcomes could not be placed", { cause: message }), null))
        )
      if (vectors === null) return "failed"
      const placed = known.flatMap(({ observationId }, i) => {
        const vector = vectors[i]
        return vector == null ? [] : [{ observationId, vector: quantise(vector) }]
      })
      if (placed.length < page.length) left = "unplaceable"
      if (placed.length > 0) {
        const version = yield* inAccount(insertEmbedded(scope, endpoint.identity, placed))
        onPlaced(scope, version, yield* Clock.currentTimeMillis)
      }
      before = page.at(-1)?.observationId ?? null
      if (page.length < rule.pageRows) return left
    }
  })

  const pass = Effect.fnUntraced(function*(key: string, wish: BackfillRequest) {
    wish.atMs = Infinity
    wish.isFresh = false
    const left = yield* placeLane(wish.scope).pipe(
      Effect.catch((error) =>
        Effect.as(Effect.logWarning("A lane could not be placed", error), "failed" as const))
    )
    const nowMs = yield* Clock.currentTimeMillis
    if (left === "nothing" && !wish.isFresh) requests.delete(key)
    else if (wish.isFresh) wish.atMs = nowMs + rule.pauseMs
    else wish.atMs = nowMs + (left === "failed" ? rule.retryMs : rule.fruitlessMs)
    return left
  })

  /** All that is due, until the endpoint fails: the others would only wait for it in vain. */
  const passes = Effect.fnUntraced(function*() {
    const nowMs = yield* Clock.currentTimeMillis
    for (const [key, wish] of [...requests].filter(([, { atMs }]) => atMs <= nowMs)) {
      if ((yield* pass(key, wish)) !== "failed") continue
      const laterMs = (yield* Clock.currentTimeMillis) + rule.retryMs
      for (const other of requests.values()) other.atMs = Math.max(other.atMs, laterMs)
      return
    }
  })

  yield* Effect.gen(function*() {
    yield* wake.close
    yield* passes()
    const nextMs = Math.min(...[...requests.values()].map(({ atMs }) => atMs))
    const waitMs = Math.max(10, Math.min(nextMs - (yield* Clock.currentTimeMillis), rule.fruitlessMs))
    yield* Effect.timeoutOption(wake.await, waitMs)
  }).pipe(Effect.forever, Effect.forkScoped)

  const backfill: EmbeddingBackfill = {
    request: (scope, nowMs, isFresh) => {
      const key = JSON.stringify([scope.accountId, scope.lane])
      const known = requests.get(key)
      if (known !== undefined && !isFresh) return
      const [oldest] = requests.keys()
      if (known === undefined && requests.size >= rule.lanesMax && oldest !== undefined) {
        requests.delete(oldest)
      }
      const atMs = Math.min(known?.atMs ?? Infinity, nowMs + rule.pauseMs)
      if (known?.atMs === Infinity) known.isFresh = true
      else requests.set(key, { scope, atMs, isFresh: false })
      wake.openUnsafe()
    }
  }
  return backfill
})
