/* A remote memory that loses no write in an outage, because reports keep their unsent writes. */
import { Effect, Fiber, Layer, Result } from "effect"
import type { SqlClient } from "effect/sql"
import { type CallerKey, CurrentCallerKey } from "../../accounts/CallerKey.ts"
import type { FeedbackResponse } from "../../domain/feedback/Feedback.ts"
import type { AccountId, Lane, LaneId } from "../../domain/Scope.ts"
import type { ReportPlan } from "../../ledger/ReportSubmission.ts"
import { Memory, MemoryUnavailable } from "../Memory.ts"
import { catchUp } from "./CatchUp.ts"
import { noFailures } from "./Delivery.ts"
import { deliverySettings, type DeliverySettings } from "./DeliverySettings.ts"
import { DeliveryStore } from "./DeliveryStore.ts"
import * as DeliveryStoreSql from "./DeliveryStoreSql.ts"
import { makeSender } from "./SendReports.ts"

type PlannedAnswer = Pick<ReportPlan, "answer" | "writes">

const make = Effect.fnUntraced(function*(settings: DeliverySettings) {
  const remote = yield* Memory
  const { countWaiting, isBehind, record } = yield* DeliveryStore
  const scope = yield* Effect.scope
  const send = yield* makeSender(settings)
  const { expect, remember } = yield* catchUp(settings, send)

  /** Keeps and returns the caller's API key, to send writes later; null outside the account's requests. */
  const rememberKey = Effect.fnUntraced(function*(accountId: AccountId): Effect.fn.Return<CallerKey | null> {
    const caller = yield* CurrentCallerKey
    if (caller?.accountId !== accountId) return null
    return yield* Effect.as(remember(caller), caller)
  })
  const withKeyKept =
    <A extends LaneId, B>(read: (query: A) => Effect.Effect<B, MemoryUnavailable>) => (query: A) =>
      Effect.andThen(rememberKey(query.accountId), read(query))

  /** Sends a first report's writes. Returns the answer that the log now stores for repeats of the report. */
  const sendFirst = Effect.fnUntraced(function*(
    caller: CallerKey,
    lane: Lane,
    revision: number,
    plan: PlannedAnswer
  ): Effect.fn.Return<FeedbackResponse> {
    const { accountId } = caller
    const writes = plan.writes.map((write) => Effect.succeed(write))
    const { next, reports } = yield* send(caller, [{ revision, writes }], noFailures, settings.directMs)
    const response = plan.answer(reports[0]?.written ?? [])
    const noted = yield* Effect.result(record(accountId, lane, reports, next, response))
    if (Result.isSuccess(noted) && next === null) return response
    yield* expect(accountId, settings.pauseMs)
    if (Result.isSuccess(noted)) return response
    yield* Effect.logWarning("A delivery is not noted in the log, and will be repeated", noted.failure)
    return plan.answer([])
  })

  /** Sends the report's writes with the caller's API key, unless earlier reports of the lane wait. */
  const deliver = Effect.fnUntraced(function*(
    accountId: AccountId,
    revision: number,
    plan: PlannedAnswer
  ): Effect.fn.Return<FeedbackResponse> {
    const caller = yield* rememberKey(accountId)
    const lane = plan.writes[0]?.body.lane
    if (lane === undefined || caller === null) return plan.answer([])
    const isLaneBehind = yield* isBehind(accountId, lane).pipe(Effect.catch((error) =>
      Effect.as(Effect.logWarning("The log cannot say whether reports wait", error), true)))
    if (isLaneBehind) return yield* Effect.as(expect(accountId, settings.pauseMs), plan.answer([]))
    // The fiber belongs to the layer, so that it stores the result even if the request is interrupted.
    return yield* Fiber.join(yield* Effect.forkIn(sendFirst(caller, lane, revision, plan), scope))
  })

  return Memory.of({
    ...remote,
    recall: withKeyKept(remote.recall),
    strategies: withKeyKept(remote.strategies),
    diagnose: withKeyKept(remote.diagnose),
    health: withKeyKept(remote.health),
    deliver,
    ping: Effect.fnUntraced(function*(accountId) {
      const unavailable = (waiting?: number) => ({ reason }: Pick<MemoryUnavailable, "reason">) =>
        new MemoryUnavailable(waiting === undefined ? { reason } : { reason, waiting })
      const waiting = yield* Effect.mapError(countWaiting(accountId), unavailable())
      const { endpoint } = yield* Effect.mapError(remote.ping(accountId), unavailable(waiting))
      return { endpoint, waiting }
    })
  })
})

/** Like {@link layer}, but takes the delivery store from its caller. */
export const layerOver = (
  settings: DeliverySettings = deliverySettings
): Layer.Layer<Memory, never, Memory | DeliveryStore> => Layer.effect(Memory, make(settings))

/**
 * A remote memory. Writes that cannot be sent at once are sent later, in order per lane. The answer to a
 * report that is sent late names no record and no reflection.
 */
export const layer = (
  settings: DeliverySettings = deliverySettings
): Layer.Layer<Memory, never, Memory | SqlClient.SqlClient> =>
  layerOver(settings).pipe(Layer.provide(Layer.fresh(DeliveryStoreSql.layer)))
