/* Gives outcomes that lack a vector of the embeddings endpoint one, in the background. */
import { Effect, Latch } from "effect"
import type { SqlClient, SqlError } from "effect/sql"
import type { LaneId } from "../../domain/Scope.ts"
import { monotonicMs } from "../../domain/Time.ts"
import type { RemoteEmbedder } from "../../embedder/Embedder.ts"
import { withAccount, withAccountLog } from "../../sql/AccountScope.ts"
import { quantise } from "../index/QuantisedVector.ts"
import type { BackfillRule } from "../MemorySettings.ts"
import { hasUnembeddedImports, insertEmbedded, selectUnembedded } from "./EmbeddingRows.ts"

/** The rest after a pass over a lane: nothing, outcomes that cannot get a vector, or a failed endpoint. */
type Left = "nothing" | "not embeddable" | "failed"

/** A lane whose outcomes wait for vectors. */
interface BackfillRequest {
  readonly scope: LaneId
  /** When its pass may begin, monotonic, ms; Infinity while it runs. */
  atMs: number
  /** Whether outcomes were added since its last pass began. */
  isFresh: boolean
}

export interface EmbeddingBackfill {
  /**
   * Requests vectors for the lane's outcomes; `nowMs` is monotonic. `isFresh` means that one of them was
   * never tried. Otherwise a lane whose last pass left some without a vector waits for its next time.
   */
  readonly request: (scope: LaneId, nowMs: number, isFresh: boolean) => void
}

interface BackfillParts {
  readonly endpoint: RemoteEmbedder
  readonly rule: BackfillRule
  /** Called after each page with the lane's version that has its vectors, and the monotonic time. */
  readonly onEmbedded: (scope: LaneId, version: number, nowMs: number) => void
}

/** Gives vectors to the whole lane, a page at a time, newest first; yields the outcomes still without one. */
const embedLane = Effect.fnUntraced(function*(
  scope: LaneId,
  { endpoint, onEmbedded, rule }: BackfillParts
): Effect.fn.Return<Left, SqlError.SqlError, SqlClient.SqlClient> {
  const inAccount = withAccount(scope.accountId)
  let before: string | null = null
  let left: Left = "nothing"
  for (;;) {
    // Neither transaction is open during the request, which may take seconds.
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
  // Else every recall of a lane with such outcomes would begin a pass over it.
  const isLeft = left === "nothing" && (yield* inAccount(hasUnembeddedImports(scope, endpoint.identity)))
  return isLeft ? "not embeddable" : left
})

/**
 * Gives the endpoint's vectors to outcomes that got none when they were taught, or were taught before there
 * was an endpoint. It works in the scope's background, one lane after another. Every process does it for the
 * lanes that it serves; if two do the same lane, the second changes nothing.
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

  /** All passes that are due, until the endpoint fails: the others would fail too. */
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
