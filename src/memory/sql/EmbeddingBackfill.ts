/* Adds missing vectors of the embeddings endpoint to outcomes, in the background. */
import { Effect, Latch } from "effect"
import type { SqlClient, SqlError } from "effect/sql"
import type { LaneId } from "../../domain/Scope.ts"
import { monotonicMs } from "../../domain/Time.ts"
import type { RemoteEmbedder } from "../../embedder/Embedder.ts"
import { withAccount, withAccountLog } from "../../sql/AccountScope.ts"
import { quantise } from "../index/QuantisedVector.ts"
import type { BackfillRule } from "../MemorySettings.ts"
import { hasUnembeddedImports, insertEmbedded, selectUnembedded } from "./EmbeddingRows.ts"

/** Result of a pass over a lane: all outcomes have endpoint vectors, some got none, or the pass failed. */
type Left = "nothing" | "not embeddable" | "failed"

interface BackfillRequest {
  readonly scope: LaneId
  /** Earliest time of the pass, ms of the monotonic clock; Infinity while the pass runs. */
  atMs: number
  /** True if an outcome without the endpoint's vector was added while a pass over the lane runs. */
  isFresh: boolean
}

export interface EmbeddingBackfill {
  /**
   * `nowMs` is a time of the monotonic clock. `isFresh` is true if a new outcome lacks the endpoint's vector.
   * If `isFresh` is false, a request does not shorten the lane's pause.
   */
  readonly request: (scope: LaneId, nowMs: number, isFresh: boolean) => void
}

interface BackfillParts {
  readonly endpoint: RemoteEmbedder
  readonly rule: BackfillRule
  /** Called after each page that got vectors, with the lane's new version and the monotonic time. */
  readonly onEmbedded: (scope: LaneId, version: number, nowMs: number) => void
}

/** Adds the endpoint's missing vectors to a whole lane, one page at a time, the newest outcomes first. */
const embedLane = Effect.fnUntraced(function*(
  scope: LaneId,
  { endpoint, onEmbedded, rule }: BackfillParts
): Effect.fn.Return<Left, SqlError.SqlError, SqlClient.SqlClient> {
  const inAccount = withAccount(scope.accountId)
  let before: string | null = null
  let left: Left = "nothing"
  for (;;) {
    // No transaction is open during the request, which may take seconds.
    const page: Effect.Success<ReturnType<typeof selectUnembedded>> = yield* inAccount(
      selectUnembedded(scope, endpoint.identity, { before, rows: rule.pageRows })
    )
    const known = page.flatMap(({ observationId, task }) => task === null ? [] : [{ observationId, task }])
    const vectors = known.length === 0
      ? []
      : yield* endpoint.embedAll(known.map(({ task }) => task)).pipe(
        Effect.catch(({ message }) =>
          Effect.as(Effect.logDebug("Outcomes could not be embedded", { cause: message }), null))
      )
    if (vectors === null) return "failed"
    const embedded = known.flatMap(({ observationId }, i) => {
      const vector = vectors[i]
      return vector == null ? [] : [{ observationId, vector: quantise(vector) }]
    })
    if (embedded.length < page.length) left = "not embeddable"
    if (embedded.length > 0) {
      const version = yield* withAccountLog(scope.accountId, 0)(() =>
        insertEmbedded(scope, endpoint.identity, embedded))
      onEmbedded(scope, version, yield* monotonicMs)
    }
    before = page.at(-1)?.observationId ?? null
    if (page.length < rule.pageRows) break
  }
  // The endpoint embeds no imported outcome without text, so a lane with such outcomes pauses for long.
  const isLeft = left === "nothing" && (yield* inAccount(hasUnembeddedImports(scope, endpoint.identity)))
  return isLeft ? "not embeddable" : left
})

/**
 * Adds the endpoint's vectors to outcomes that were taught without one, in the background while the scope
 * lives. If two processes handle the same lane, each outcome gets only one vector.
 */
export const makeEmbeddingBackfill = Effect.fnUntraced(function*(
  parts: BackfillParts
) {
  const { rule } = parts
  const requests = new Map<string, BackfillRequest>()
  const wake = yield* Latch.make()

  const pass = Effect.fnUntraced(function*(key: string, request: BackfillRequest) {
    request.atMs = Infinity
    request.isFresh = false
    const left = yield* embedLane(request.scope, parts).pipe(
      Effect.catch((error) =>
        Effect.as(Effect.logWarning("A lane's outcomes could not be embedded", error), "failed" as const))
    )
    const nowMs = yield* monotonicMs
    if (left === "nothing" && !request.isFresh) requests.delete(key)
    else if (request.isFresh) request.atMs = nowMs + rule.pauseMs
    else request.atMs = nowMs + (left === "failed" ? rule.retryMs : rule.fruitlessMs)
    return left
  })

  /** If one lane's pass fails, all lanes pause, because they use the same endpoint. */
  const passes = Effect.fnUntraced(function*() {
    const nowMs = yield* monotonicMs
    for (const [key, request] of [...requests].filter(([, { atMs }]) => atMs <= nowMs)) {
      if ((yield* pass(key, request)) !== "failed") continue
      const laterMs = (yield* monotonicMs) + rule.retryMs
      for (const other of requests.values()) other.atMs = Math.max(other.atMs, laterMs)
      return
    }
  })

  yield* Effect.gen(function*() {
    yield* wake.close
    yield* passes()
    const nextMs = Math.min(...[...requests.values()].map(({ atMs }) => atMs))
    const waitMs = Math.max(10, Math.min(nextMs - (yield* monotonicMs), rule.fruitlessMs))
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
