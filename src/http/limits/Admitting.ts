/* Checks an account's quota, admits its requests, and runs each request when it gets its turn. */
import { Context, Effect } from "effect"
import { HttpEffect, HttpServerRequest, HttpServerResponse } from "effect/http"
import { ServiceUnavailable, TooManyRequests } from "../../api/Problems.ts"
import { monotonicMsOf } from "../../domain/Time.ts"
import { ColdLoad } from "../../resilience/ColdLoad.ts"
import { inRequestTurn, type InTurn, PartTurns, Step } from "../../resilience/CooperativeYield.ts"
import type { AnyFiber } from "../../telemetry/Metrics.ts"
import { bodyBytesMax, TurnAfterBody } from "../body/Body.ts"
import { type Admission, type AdmissionRefusal, Admissions, type Purpose, type Ticket } from "./Admission.ts"
import type { Request } from "./Limits.ts"
import { limitSettings } from "./LimitSettings.ts"
import { type QuotaState, makeQuota } from "./Quota.ts"
import { overloaded, retryAfter } from "./Retry.ts"

const { feedbackFactor, quotasMax, retryAfterSeconds, unitBytes, windowSeconds } = limitSettings

export const tooMany = (seconds: number, detail: string) =>
  Effect.andThen(retryAfter(seconds), Effect.fail(new TooManyRequests({ detail })))

/** Returns a request's work by its headers, in units: one, and one more for every `unitBytes` of its body. */
export const unitsOf = (headers: Readonly<Record<string, string | undefined>>): number => {
  // A body without a declared length is taken to be the longest body that is read.
  const withoutLength = headers["transfer-encoding"] === undefined ? 0 : bodyBytesMax
  const bytes = Number(headers["content-length"] ?? withoutLength)
  return 1 + (Number.isFinite(bytes) ? Math.floor(Math.max(0, bytes) / unitBytes) : 0)
}

const hasBody = (method: string): boolean => method === "POST"

/** Sets the rate-limit headers (IETF draft 10) of the current answer, even if it is an error. */
const setRateLimitHeaders = (
  { context }: AnyFiber,
  name: string,
  limit: number,
  { remaining, resetSeconds }: QuotaState
): void =>
  HttpEffect.appendPreResponseHandlerUnsafe(context, (_request, response) =>
    Effect.succeed(HttpServerResponse.setHeaders(response, {
      "ratelimit-policy": `"${name}";q=${limit};w=${windowSeconds}`,
      "ratelimit": `"${name}";r=${remaining};t=${resetSeconds}`
    })))

/** Feedback has a separate, larger quota. */
const makeQuotas = (limitPerMinute: number) => {
  const quotaOf = (name: "requests" | "feedback", limit: number) =>
    ({ name, limit, quota: makeQuota({ limit, windowSeconds, keysMax: quotasMax }) })
  const requests = quotaOf("requests", limitPerMinute)
  const feedback = quotaOf("feedback", limitPerMinute * feedbackFactor)
  return (purpose: Purpose) => purpose === "feedback" ? feedback : requests
}

type Quotas = ReturnType<typeof makeQuotas>

/** Charges a request to its quota. Returns the refusal if the quota is used up; otherwise null. */
const makeSpend = (quotas: Quotas) =>
  (fiber: AnyFiber, account: string, purpose: Purpose, units: number) => {
    const { limit, name, quota } = quotas(purpose)
    const counted = quota.spend(account, monotonicMsOf(fiber), units)
    setRateLimitHeaders(fiber, name, limit, counted)
    return counted.isAllowed
      ? null
      : tooMany(counted.retrySeconds, `The account's ${name} for this minute are used up`)
  }

const makeOwe = (quotas: Quotas) =>
  (fiber: AnyFiber, account: string, purpose: Purpose, units: number): void => {
    const { limit, name, quota } = quotas(purpose)
    setRateLimitHeaders(fiber, name, limit, quota.owe(account, monotonicMsOf(fiber), units))
  }

const failRefused = Effect.fnUntraced(function*(refusal: Exclude<AdmissionRefusal, null>) {
  if (refusal === "account") {
    return yield* tooMany(retryAfterSeconds, "The account has too many requests in flight")
  }
  yield* retryAfter(retryAfterSeconds)
  return yield* new ServiceUnavailable({ detail: overloaded })
})

/** `enter` receives the function that ends the wait, and may call it at once. */
const waitTurn = (enter: (start: () => void) => void): Effect.Effect<void> =>
  Effect.suspend(() => {
    let isStarted = false
    let resumed: (() => void) | null = null
    enter(() => {
      isStarted = true
      // A request that waited goes on in a later event-loop turn than the request whose end started it.
      if (resumed !== null) inRequestTurn(resumed)
    })
    return isStarted ? Effect.void : Effect.callback<void>((resume) => {
      // The turn may have begun since the first check of `isStarted`.
      if (isStarted) resume(Effect.void)
      else resumed = () => resume(Effect.void)
    })
  })

/** Adds the units of work that a request's read body asks for. Fails if too much work is in flight. */
export const AddUnits = Context.Reference<
  (units: number) => Effect.Effect<void, ServiceUnavailable | TooManyRequests>
>("sextant/http/limits/Admitting/Weighing", { defaultValue: () => () => Effect.void })

/** Ends the turn of a workflow request, and yields the function that gives a turn to each of its steps. */
const partTurns = (admissions: Admission, ticket: Ticket): Effect.Effect<InTurn> =>
  Effect.sync(() => {
    admissions.pause(ticket)
    return (part) =>
      Effect.suspend(() => {
        const one = admissions.partOf(ticket)
        const turn = waitTurn((start) => admissions.queue(one, start))
        return Effect.andThen(turn, part).pipe(
          Effect.provideService(ColdLoad, () => admissions.beginColdLoad(one)),
          Effect.ensuring(Effect.sync(() => admissions.leave(one)))
        )
      })
  })

/** Makes the function that admits a request and runs its handler. */
export const admitting = Effect.fnUntraced(function*(limitPerMinute: number | null) {
  const admissions = yield* Admissions
  const quotas = limitPerMinute === null ? null : makeQuotas(limitPerMinute)
  const spend = quotas === null ? () => null : makeSpend(quotas)
  const owe = quotas === null ? () => {} : makeOwe(quotas)

  const weighing = (request: Request, ticket: Ticket) => (all: number) =>
    all <= 1 ? Effect.void : Effect.withFiber<void, ServiceUnavailable | TooManyRequests>((fiber) => {
      const refusal = admissions.addUnits(ticket, all - 1)
      // `failRefused` needs the request, to set the header `Retry-After` of its answer.
      if (refusal !== null) {
        return Effect.provideService(failRefused(refusal), HttpServerRequest.HttpServerRequest, request)
      }
      owe(fiber, ticket.account, ticket.purpose, all - 1)
      return Effect.void
    })

  return (account: string, purpose: Purpose) => <A, E, R>(httpEffect: Effect.Effect<A, E, R>) =>
    Effect.withFiber<A, E | ServiceUnavailable | TooManyRequests, R | Request>((fiber) => {
      const request = Context.getUnsafe(fiber.context, HttpServerRequest.HttpServerRequest)
      const units = unitsOf(request.headers)
      const overdrawn = spend(fiber, account, purpose, units)
      if (overdrawn !== null) return overdrawn
      const ticket = admissions.enter(account, purpose, units)
      if (typeof ticket === "string") return failRefused(ticket)
      const turn = waitTurn((start) => admissions.queue(ticket, start))
      const isBodyFirst = hasBody(request.method)
      return (isBodyFirst ? httpEffect : Effect.andThen(turn, httpEffect)).pipe(
        Effect.updateContext((context: Context.Context<R | Request>) =>
          context.pipe(
            Context.add(TurnAfterBody, isBodyFirst ? turn : Effect.void),
            Context.add(AddUnits, weighing(request, ticket)),
            Context.add(ColdLoad, () => admissions.beginColdLoad(ticket)),
            Context.add(PartTurns, partTurns(admissions, ticket)),
            Context.add(Step, Effect.yieldNow)
          )),
        Effect.ensuring(Effect.sync(() => admissions.leave(ticket)))
      )
    })
})
