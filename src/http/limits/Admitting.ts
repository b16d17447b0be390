/** Runs requests within their account's quota, when it is their turn, and weighs them by their work. */
import { Context, Effect } from "effect"
import { HttpEffect, HttpServerRequest, HttpServerResponse } from "effect/http"
import { ServiceUnavailable, TooManyRequests } from "../../api/Problems.ts"
import { monotonicMs } from "../../domain/Time.ts"
import { inOwnTurn, type InTurn, PartTurns } from "../../resilience/CooperativeYield.ts"
import { type Admission, Admissions, type Purpose, type Refusal, type Ticket } from "./Admission.ts"
import { bodyBytesMax, TurnOnceRead } from "../Body.ts"
import { limitSettings } from "./LimitSettings.ts"
import { type Counted, makeQuota } from "./Quota.ts"
import { overloaded, retryAfter } from "./Retry.ts"

const { feedbackFactor, quotasMax, retryAfterSeconds, unitBytes, windowSeconds } = limitSettings

export const tooMany = (seconds: number, detail: string) =>
  Effect.andThen(retryAfter(seconds), Effect.fail(new TooManyRequests({ detail })))

/** Work of a request as far as its head tells, in units: one, and one for every `unitBytes` of its body. */
export const unitsOf = (headers: Readonly<Record<string, string | undefined>>): number => {
  // One that does not say its length may have any.
  const untold = headers["transfer-encoding"] === undefined ? 0 : bodyBytesMax
  const bytes = Number(headers["content-length"] ?? untold)
  return 1 + (Number.isFinite(bytes) ? Math.floor(Math.max(0, bytes) / unitBytes) : 0)
}

const hasBody = (method: string): boolean => method === "POST"

/** Says on whatever this request is answered how much of a quota is left, in the fields of draft 10. */
const telling = (name: string, limit: number, { remaining, resetSeconds }: Counted) =>
  HttpEffect.appendPreResponseHandler((_request, response) =>
    Effect.succeed(HttpServerResponse.setHeaders(response, {
      "ratelimit-policy": `"${name}";q=${limit};w=${windowSeconds}`,
      "ratelimit": `"${name}";r=${remaining};t=${resetSeconds}`
    }))
  )

/** An account's units of this minute; feedback has a larger quota of its own. */
const makeQuotas = (limitPerMinute: number) => {
  const quotaOf = (name: string, limit: number) => ({
    name, limit, quota: makeQuota({ limit, windowSeconds, keysMax: quotasMax })
  })
  const requests = quotaOf("requests", limitPerMinute)
  const feedback = quotaOf("feedback", limitPerMinute * feedbackFactor)
  return (purpose: Purpose) => purpose === "feedback" ? feedback : requests
}

/** Counts a request of so many units; fails when none is left. */
const makeSpend = (quotas: ReturnType<typeof makeQuotas>) =>
  Effect.fnUntraced(function*(account: string, purpose: Purpose, units: number) {
    const { limit, name, quota } = quotas(purpose)
    const counted = quota.spend(account, yield* monotonicMs, units)
    yield* telling(name, limit, counted)
    if (counted.isAllowed) return
    yield* tooMany(counted.retrySeconds, `The account's ${name} for this minute are used up`)
  })

/** Counts what a request that was allowed takes besides. */
const makeOwe = (quotas: ReturnType<typeof makeQuotas>) =>
  Effect.fnUntraced(function*(account: string, purpose: Purpose, units: number) {
    const { limit, name, quota } = quotas(purpose)
    yield* telling(name, limit, quota.owe(account, yield* monotonicMs, units))
  })

const refused = Effect.fnUntraced(function*(refusal: Exclude<Refusal, null>) {
  if (refusal === "account") {
    return yield* tooMany(retryAfterSeconds, "The account has too many requests under way")
  }
  yield* retryAfter(retryAfterSeconds)
  return yield* new ServiceUnavailable({ detail: overloaded })
})

/** Waits in a line; `enter` is given what ends the wait, which it may call at once. */
const turnIn = (enter: (start: () => void) => void): Effect.Effect<void> =>
  Effect.callback<void>((resume) => {
    let isEntering = true
    enter(() => {
      // Those who waited go on in a turn of the event loop of their own: what freed the turn is not theirs.
      if (isEntering) resume(Effect.void)
      else inOwnTurn(() => resume(Effect.void))
    })
    isEntering = false
  })

/**
 * Says how much work a request is, in units, once it was read; fails where its account, or all together, have
 * too much under way for it. One unit where nothing is said.
 */
export const Weighing = Context.Reference<
  (units: number) => Effect.Effect<void, ServiceUnavailable | TooManyRequests>
>("sextant/http/limits/Admitting/Weighing", { defaultValue: () => () => Effect.void })

/** Turns for the parts of a request, each of which weighs as much as a request of its own. */
const partTurns = (admissions: Admission, ticket: Ticket): Effect.Effect<InTurn> =>
  Effect.sync(() => {
    admissions.pause(ticket)
    return (part) =>
      Effect.suspend(() => {
        const one = admissions.partOf(ticket)
        const turn = turnIn((start) => admissions.queue(one, start))
        return Effect.ensuring(Effect.andThen(turn, part), Effect.sync(() => admissions.leave(one)))
      })
  })

/** Runs what answers a request of a purpose for an account; a null limit means no quota. */
export const admitting = (limitPerMinute: number | null) =>
  Effect.map(Admissions, (admissions) => {
    const quotas = limitPerMinute === null ? null : makeQuotas(limitPerMinute)
    const spend = quotas === null ? () => Effect.void : makeSpend(quotas)
    const owe = quotas === null ? () => Effect.void : makeOwe(quotas)
    return (account: string, purpose: Purpose) => <A, E, R>(httpEffect: Effect.Effect<A, E, R>) =>
      Effect.gen(function*() {
        const request = yield* HttpServerRequest.HttpServerRequest
        const units = unitsOf(request.headers)
        yield* spend(account, purpose, units)
        const entered = admissions.enter(account, purpose, units)
        if (typeof entered === "string") return yield* refused(entered)
        // The head of the answer is the request's.
        const here = Effect.provideService(HttpServerRequest.HttpServerRequest, request)
        const weigh = (all: number) =>
          Effect.gen(function*() {
            if (all <= 1) return
            const refusal = admissions.weigh(entered, all - 1)
            if (refusal !== null) return yield* refused(refusal)
            yield* owe(account, purpose, all - 1)
          }).pipe(here)
        const turn = turnIn((start) => admissions.queue(entered, start))
        const inTurn = hasBody(request.method)
          ? Effect.provideService(httpEffect, TurnOnceRead, turn)
          : Effect.andThen(turn, httpEffect)
        return yield* inTurn.pipe(
          Effect.provideService(Weighing, weigh),
          Effect.provideService(PartTurns, partTurns(admissions, entered)),
          Effect.ensuring(Effect.sync(() => admissions.leave(entered)))
        )
      })
  })
