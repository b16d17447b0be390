/* Runs requests within their account's quota, when it is their turn, and counts them by their work. */
import { Context, Effect } from "effect"
import { HttpEffect, HttpServerRequest, HttpServerResponse } from "effect/http"
import { ServiceUnavailable, TooManyRequests } from "../../api/Problems.ts"
import { monotonicMs } from "../../domain/Time.ts"
import { inOwnTurn, type InTurn, PartTurns } from "../../resilience/CooperativeYield.ts"
import { bodyBytesMax, TurnAfterBody } from "../Body.ts"
import { type Admission, Admissions, type Purpose, type Refusal, type Ticket } from "./Admission.ts"
import { limitSettings } from "./LimitSettings.ts"
import { type Quota, type QuotaState, makeQuota } from "./Quota.ts"
import { overloaded, retryAfter } from "./Retry.ts"
import { Siblings } from "./Siblings.ts"

const { feedbackFactor, quotasMax, retryAfterSeconds, unitBytes, windowSeconds } = limitSettings

export const tooMany = (seconds: number, detail: string) =>
  Effect.andThen(retryAfter(seconds), Effect.fail(new TooManyRequests({ detail })))

/** Work of a request by its headers, units: one, and one for every `unitBytes` of its body. */
export const unitsOf = (headers: Readonly<Record<string, string | undefined>>): number => {
  // A body without a declared length may have the largest one.
  const withoutLength = headers["transfer-encoding"] === undefined ? 0 : bodyBytesMax
  const bytes = Number(headers["content-length"] ?? withoutLength)
  return 1 + (Number.isFinite(bytes) ? Math.floor(Math.max(0, bytes) / unitBytes) : 0)
}

const hasBody = (method: string): boolean => method === "POST"

/** Sets the rate-limit headers (IETF draft 10) of this request's answer, whatever it will be. */
const setRateLimitHeaders = (name: string, limit: number, { remaining, resetSeconds }: QuotaState) =>
  HttpEffect.appendPreResponseHandler((_request, response) =>
    Effect.succeed(HttpServerResponse.setHeaders(response, {
      "ratelimit-policy": `"${name}";q=${limit};w=${windowSeconds}`,
      "ratelimit": `"${name}";r=${remaining};t=${resetSeconds}`
    }))
  )

/** A quota that all processes of the port count: each hears what the others have allowed. */
const sharedQuota = Effect.fnUntraced(function*(name: "requests" | "feedback", limit: number) {
  const siblings = yield* Siblings
  const quota = makeQuota({ limit, windowSeconds, keysMax: quotasMax })
  yield* siblings.hear(name, (account, units) =>
    Effect.map(monotonicMs, (nowMs) => void quota.owe(account, nowMs, units)))
  const shared: Quota = {
    spend: (account, nowMs, units) => {
      const counted = quota.spend(account, nowMs, units)
      if (counted.isAllowed) siblings.tell(name, account, units)
      return counted
    },
    owe: (account, nowMs, units) => {
      siblings.tell(name, account, units)
      return quota.owe(account, nowMs, units)
    }
  }
  return { name, limit, quota: shared }
})

/** The quotas of accounts, units per minute; feedback has a larger quota of its own. */
const makeQuotas = Effect.fnUntraced(function*(limitPerMinute: number) {
  const requests = yield* sharedQuota("requests", limitPerMinute)
  const feedback = yield* sharedQuota("feedback", limitPerMinute * feedbackFactor)
  return (purpose: Purpose) => purpose === "feedback" ? feedback : requests
})

type Quotas = Effect.Success<ReturnType<typeof makeQuotas>>

/** Counts a request of that many units; fails when the quota is used up. */
const makeSpend = (quotas: Quotas) =>
  Effect.fnUntraced(function*(account: string, purpose: Purpose, units: number) {
    const { limit, name, quota } = quotas(purpose)
    const counted = quota.spend(account, yield* monotonicMs, units)
    yield* setRateLimitHeaders(name, limit, counted)
    if (counted.isAllowed) return
    yield* tooMany(counted.retrySeconds, `The account's ${name} for this minute are used up`)
  })

/** Counts further units of a request that was allowed. */
const makeOwe = (quotas: Quotas) =>
  Effect.fnUntraced(function*(account: string, purpose: Purpose, units: number) {
    const { limit, name, quota } = quotas(purpose)
    yield* setRateLimitHeaders(name, limit, quota.owe(account, yield* monotonicMs, units))
  })

const failRefused = Effect.fnUntraced(function*(refusal: Exclude<Refusal, null>) {
  if (refusal === "account") {
    return yield* tooMany(retryAfterSeconds, "The account has too many requests in flight")
  }
  yield* retryAfter(retryAfterSeconds)
  return yield* new ServiceUnavailable({ detail: overloaded })
})

/** Waits for a turn; `enter` receives the function that ends the wait, and may call it at once. */
const waitTurn = (enter: (start: () => void) => void): Effect.Effect<void> =>
  Effect.callback<void>((resume) => {
    let isEntering = true
    enter(() => {
      // A request that waited continues in its own turn of the event loop, not in the request's that ended.
      if (isEntering) resume(Effect.void)
      else inOwnTurn(() => resume(Effect.void))
    })
    isEntering = false
  })

/**
 * Declares the units of work of a request after its body was read. It fails when the account, or all accounts
 * together, have too much work in flight. A request that does not call it counts as one unit.
 */
export const AddUnits = Context.Reference<
  (units: number) => Effect.Effect<void, ServiceUnavailable | TooManyRequests>
>("sextant/http/limits/Admitting/Weighing", { defaultValue: () => () => Effect.void })

/** Turns for the parts of a request, each of which counts as a request of its own. */
const partTurns = (admissions: Admission, ticket: Ticket): Effect.Effect<InTurn> =>
  Effect.sync(() => {
    admissions.pause(ticket)
    return (part) =>
      Effect.suspend(() => {
        const one = admissions.partOf(ticket)
        const turn = waitTurn((start) => admissions.queue(one, start))
        return Effect.ensuring(Effect.andThen(turn, part), Effect.sync(() => admissions.leave(one)))
      })
  })

/** Runs the handler of a request, when the account is admitted; a null limit means no quota. */
export const admitting = (limitPerMinute: number | null) =>
  Effect.gen(function*() {
    const admissions = yield* Admissions
    const quotas = limitPerMinute === null ? null : yield* makeQuotas(limitPerMinute)
    const spend = quotas === null ? () => Effect.void : makeSpend(quotas)
    const owe = quotas === null ? () => Effect.void : makeOwe(quotas)
    return (account: string, purpose: Purpose) => <A, E, R>(httpEffect: Effect.Effect<A, E, R>) =>
      Effect.gen(function*() {
        const request = yield* HttpServerRequest.HttpServerRequest
        const units = unitsOf(request.headers)
        yield* spend(account, purpose, units)
        const entered = admissions.enter(account, purpose, units)
        if (typeof entered === "string") return yield* failRefused(entered)
        // The headers that it sets belong to the answer of this request.
        const here = Effect.provideService(HttpServerRequest.HttpServerRequest, request)
        const weigh = (all: number) =>
          Effect.gen(function*() {
            if (all <= 1) return
            const refusal = admissions.addUnits(entered, all - 1)
            if (refusal !== null) return yield* failRefused(refusal)
            yield* owe(account, purpose, all - 1)
          }).pipe(here)
        const turn = waitTurn((start) => admissions.queue(entered, start))
        const inTurn = hasBody(request.method)
          ? Effect.provideService(httpEffect, TurnAfterBody, turn)
          : Effect.andThen(turn, httpEffect)
        return yield* inTurn.pipe(
          Effect.provideService(AddUnits, weigh),
          Effect.provideService(PartTurns, partTurns(admissions, entered)),
          Effect.ensuring(Effect.sync(() => admissions.leave(entered)))
        )
      })
  })
