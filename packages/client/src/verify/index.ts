/*
 * Runs a task until a result passes the caller's check: one attempt after another, by the service's plan.
 * Each verdict is reported, and the plan asked for again; while the service is out, the plan in hand goes on.
 */
import { BudgetExhausted } from "../Budget.ts"
import { type Call, endWithError } from "../Choice.ts"
import { attempt } from "../ForeignValues.ts"
import type { ChooseOptions } from "../Request.ts"
import { qualityOf, type Sextant } from "../Sextant.ts"
import { known, type Usage } from "../Usage.ts"
import type { TaskInput, Verification } from "../Wire.ts"
import { type Attempt, bestOf, passes, sumOf, toldOf } from "../adapters/Attempts.ts"
import { type Route, type RouteEnd, routeOf } from "../adapters/Route.ts"

export type { Attempt } from "../adapters/Attempts.ts"

/** A check's verdict: whether the result is right, or its quality from 0 to 1; null is no verdict. */
export type Verdict = boolean | number | null | undefined

/**
 * Why no further attempt was made: a result passed; the check gave no verdict; another attempt is not worth
 * its cost, or would be one too many or too dear; no model is left; the provider of each is out; the
 * account's budget is used up; the signal was aborted; or the client is in shadow, where the default alone
 * runs.
 */
export type Stop = RouteEnd | "verified" | "no_verdict" | "max_attempts" | "outage" | "aborted" | "shadow"

/** The end of all attempts. */
interface Ended<Id extends string, A> {
  /** The attempts with a result, in their order. */
  readonly attempts: ReadonlyArray<Attempt<Id, A>>
  /** Total cost, USD; null if the cost of any attempt is unknown. */
  readonly costUsd: number | null
  readonly stop: Stop
  /** The check's error, or the outage or budget that ended the run; null without one. */
  readonly error: unknown
}

/** The end of a task. `best` is the attempt that passed or, if none passed, has the highest quality. */
export type Verified<Id extends string = string, A = unknown> =
  | Ended<Id, A> & { readonly isVerified: true; readonly best: Attempt<Id, A> }
  | Ended<Id, A> & { readonly isVerified: false; readonly best: Attempt<Id, A> | null }

/** The check of a result. A gate of `sextant-client/gates` describes itself in `verification`. */
export interface Verify<Id extends string, A> {
  (result: A, modelId: Id): Verdict | PromiseLike<Verdict>
  readonly verification?: Verification | undefined
}

export interface VerifyOptions<Id extends string, A> extends ChooseOptions<Id> {
  /** The check; a quality of 0.8 passes. What it throws is no verdict, and ends the run. */
  readonly verify: Verify<Id, A>
  /** Most attempts, count >= 1; 3 by default. An outage is none. */
  readonly maxAttempts?: number | undefined
  /** Limit of all attempts' cost, USD >= 0. After an attempt of unknown cost no further one is made. */
  readonly maxTotalCostUsd?: number | undefined
  /** The usage of a result. If given, it is reported, and its bill counts. */
  readonly usage?: (result: A) => Usage | null | undefined
}

/** Runs a model. `attempts` are the earlier failed ones, which a prompt may mention. */
export type Work<Id extends string, A> = (
  modelId: Id,
  call: Call,
  attempts: ReadonlyArray<Attempt<Id, A>>
) => A | PromiseLike<A>

/** How long the plan waits for the verdict to arrive, in ms. */
const reportLimitMs = 1_000
/** Most attempts of the service's plan, count. */
const plannedMax = 4

/** One model's result, or the outage after which no model was left. */
type Tried<Id extends string, A> =
  | { readonly modelId: Id; readonly result: A; readonly took: Usage }
  | { readonly outage: unknown }

/** Runs the model and, after an outage, the next allowed one; other errors go to the caller. */
const tryModels = async <Id extends string, A>(
  route: Route<Id>,
  first: Id,
  mayRun: (modelId: Id) => boolean,
  work: (modelId: Id, call: Call) => A | PromiseLike<A>,
  { signal, usage }: Pick<VerifyOptions<Id, A>, "signal" | "usage">
): Promise<Tried<Id, A>> => {
  for (let modelId = first;;) {
    const call = route.choice.begin(modelId)
    try {
      const result = await work(modelId, call)
      const took: Usage = usage ? attempt(() => ({ ...usage(result) }), {}) : {}
      if (usage) call.succeeded(took)
      return { modelId, result, took }
    } catch (error) {
      if (!endWithError(call, error, signal)) throw error
      const next = route.afterFault(modelId)
      if (next === null || !mayRun(next)) return { outage: error }
      modelId = next
    }
  }
}

/** The check's verdict on a result, or its error. */
const judged = async <Id extends string, A>(
  verify: Verify<Id, A>,
  result: A,
  modelId: Id
): Promise<{ readonly quality: number | null; readonly error: unknown }> => {
  try {
    return { quality: qualityOf(await verify(result, modelId)), error: null }
  } catch (error) {
    return { quality: null, error }
  }
}

/** A run at one task: its attempts, what limits them, and the question for the next one. */
const runOf = <Id extends string, A>(
  sextant: Sextant<Id>,
  task: string | TaskInput,
  options: VerifyOptions<Id, A>
) => {
  const { maxAttempts, maxTotalCostUsd, request, signal, verify } = options
  // Attempts that the caller names have a task already, which the service joins this one to.
  const named = options.taskId ?? request?.task_id
  const taskId = named ?? (request?.attempts?.length ? null : crypto.randomUUID())
  const verification = request?.verification ?? verify?.verification ?? { kind: "gate" }
  const checkUsd = verification.cost_usd ?? 0
  const attemptsMax = known(maxAttempts) && maxAttempts >= 1 ? Math.floor(maxAttempts) : 3
  const attempts: Array<Attempt<Id, A>> = []
  const tried = new Set<Id>()

  const spentUsd = (): number | null => sumOf(attempts.map(({ costUsd }) => costUsd))
  /** The amount left to spend, USD; null without a limit, NaN if a cost is unknown. */
  const leftUsd = (): number | null =>
    maxTotalCostUsd === undefined ? null : sumOf([maxTotalCostUsd, -(spentUsd() ?? NaN)])
  const estimateOf = (route: Route<Id>, modelId: Id) => sumOf([route.estimateOf(modelId), checkUsd])

  return {
    attempts,
    tried,
    source: verification.kind,
    /** The service's plan, given the attempts and the amount left. */
    ask: async (): Promise<Route<Id>> => {
      const choice = await sextant.choose(task, {
        ...options,
        taskId,
        request: {
          ...request,
          verification,
          attempts: toldOf(attempts, verification.kind, request?.attempts),
          max_attempts: Math.min(attemptsMax - attempts.length, plannedMax),
          max_total_cost_usd: leftUsd()
        }
      })
      return routeOf(sextant.models, choice, tried)
    },
    costOf: (route: Route<Id>, modelId: Id, { costUsd }: Usage) =>
      known(costUsd)
        ? { costUsd: sumOf([costUsd, checkUsd]), isEstimate: false }
        : { costUsd: estimateOf(route, modelId), isEstimate: true },
    mayRun: (route: Route<Id>, modelId: Id): boolean => {
      const left = leftUsd()
      return left === null || (estimateOf(route, modelId) ?? NaN) <= left
    },
    /** The reason why the run ends after a failed attempt; null if it goes on. */
    limitOf: ({ choice }: Route<Id>): Stop | null =>
      signal?.aborted ? "aborted"
        : attempts.length >= attemptsMax ? "max_attempts"
        : choice.reason === "shadow" ? "shadow"
        : (leftUsd() ?? 1) > 0 ? null
        : "max_total_cost",
    ended: (stop: Stop, error: unknown = null): Verified<Id, A> => {
      const end = { attempts, costUsd: spentUsd(), stop, error }
      const last = attempts.at(-1)
      return stop === "verified" && last
        ? { isVerified: true, best: last, ...end }
        : { isVerified: false, best: bestOf(attempts), ...end }
    }
  }
}

/**
 * Runs `work` until `verify` says that a result is right, each time with the next model of the service's
 * plan. Rejects as `choose` does before the first attempt, with an error of `work` that is no outage, and
 * with an outage of all models when no result is there yet.
 */
export const runVerified = async <const Id extends string, A>(
  sextant: Sextant<Id>,
  task: string | TaskInput,
  work: Work<Id, A>,
  options: VerifyOptions<Id, A>
): Promise<Verified<Id, A>> => {
  const { ask, attempts, costOf, ended, limitOf, mayRun, source, tried } = runOf(sextant, task, options)

  let route = await ask()
  for (let next = route.first(); next !== null;) {
    const came = await tryModels(route, next, (id) => mayRun(route, id), (id, call) => {
      tried.add(id)
      return work(id, call, [...attempts])
    }, options)
    if ("outage" in came) {
      if (attempts.length === 0) throw came.outage
      return ended("outage", came.outage)
    }
    const { modelId, result, took } = came
    const { error, quality } = await judged(options.verify, result, modelId)
    const { recommendationId } = route.choice
    attempts.push({ modelId, result, quality, ...costOf(route, modelId, took), recommendationId })
    if (quality === null) return ended("no_verdict", error)
    route.choice.score(quality, source)
    if (passes(quality)) return ended("verified")
    const limit = limitOf(route)
    if (limit) return ended(limit)
    await sextant.flush(reportLimitMs)
    try {
      const asked = await ask()
      // While the service is out, the plan in hand goes on; what stands in for a budget stands alone.
      const isAnswer = asked.choice.recommendation !== null || asked.choice.reason === "budget_exhausted"
      route = isAnswer ? asked : route
      next = isAnswer ? route.first() : route.afterFailure()
    } catch (problem) {
      if (problem instanceof BudgetExhausted) return ended("budget_exhausted", problem)
      throw problem
    }
    if (options.signal?.aborted) return ended("aborted")
    if (next !== null && !mayRun(route, next)) return ended("max_total_cost")
  }
  return ended(route.end)
}
