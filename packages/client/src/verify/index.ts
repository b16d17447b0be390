/* Runs a task until a result passes the caller's check, each attempt on the next model of the plan. The
   service is asked for a new plan after each failed check. */
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

/** Whether the result is right, or its quality from 0 to 1; null without a verdict. */
export type Verdict = boolean | number | null | undefined

/**
 * Why no further attempt was made. A run stops with `verified` if a result passed, and with `no_verdict` if
 * the check gave no verdict. A run stops with `outage` if a provider failed and no other model may run. A run
 * stops with `shadow` if shadow mode allows no further attempt.
 */
export type Stop = RouteEnd | "verified" | "no_verdict" | "max_attempts" | "outage" | "aborted" | "shadow"

interface Ended<Id extends string, A> {
  /** The attempts that had a result, the oldest first. */
  readonly attempts: ReadonlyArray<Attempt<Id, A>>
  /** Total cost of the attempts in US dollars; null if the cost of an attempt is unknown. */
  readonly costUsd: number | null
  readonly stop: Stop
  /** The error of the check, a provider or the budget that ended the run; null if none did. */
  readonly error: unknown
}

/** `best`: the attempt that passed, else the one of the highest quality; no verdict counts as 0.5. */
export type Verified<Id extends string = string, A = unknown> =
  | Ended<Id, A> & { readonly isVerified: true; readonly best: Attempt<Id, A> }
  | Ended<Id, A> & { readonly isVerified: false; readonly best: Attempt<Id, A> | null }

/** Checks a result. `verification`, which each gate has, holds the check's error rates and cost. */
export interface Verify<Id extends string, A> {
  (result: A, modelId: Id): Verdict | PromiseLike<Verdict>
  readonly verification?: Verification | undefined
}

export interface VerifyOptions<Id extends string, A> extends ChooseOptions<Id> {
  /** A result passes if `verify` returns true or at least 0.8. If `verify` throws, the run stops. */
  readonly verify: Verify<Id, A>
  /** Maximum number of attempts, >= 1; 3 by default. A call with a provider's fault is no attempt. */
  readonly maxAttempts?: number | undefined
  /** Maximum total cost of the attempts, US dollars >= 0; if it is set, an unknown cost ends the run. */
  readonly maxTotalCostUsd?: number | undefined
  /** Returns the usage of a result, which is reported. The usage's cost counts for `maxTotalCostUsd`. */
  readonly usage?: (result: A) => Usage | null | undefined
}

/** Runs a model. `attempts` holds the failed attempts, so that a prompt can mention mistakes. */
export type Work<Id extends string, A> = (
  modelId: Id,
  call: Call,
  attempts: ReadonlyArray<Attempt<Id, A>>
) => A | PromiseLike<A>

/** Maximum wait until a verdict is sent, before the next plan is asked for, in ms. */
const reportLimitMs = 1_000
/** Maximum number of attempts in a plan of the service. */
const plannedMax = 4

type Tried<Id extends string, A> =
  | { readonly modelId: Id; readonly result: A; readonly took: Usage }
  | { readonly outage: unknown }

/** Runs a model and, after a provider's fault, the next one. */
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

const runOf = <Id extends string, A>(
  sextant: Sextant<Id>,
  task: string | TaskInput,
  options: VerifyOptions<Id, A>
) => {
  const { maxAttempts, maxTotalCostUsd, request, signal, verify } = options
  // If the caller passes earlier attempts, they may already belong to a task, so no new task id is made.
  const named = options.taskId ?? request?.task_id
  const taskId = named ?? (request?.attempts?.length ? null : crypto.randomUUID())
  const verification = request?.verification ?? verify?.verification ?? { kind: "gate" }
  const checkUsd = verification.cost_usd ?? 0
  const attemptsMax = known(maxAttempts) && maxAttempts >= 1 ? Math.floor(maxAttempts) : 3
  const attempts: Array<Attempt<Id, A>> = []
  const tried = new Set<Id>()

  const spentUsd = (): number | null => sumOf(attempts.map(({ costUsd }) => costUsd))
  /** Returns what is left of `maxTotalCostUsd`; null if no maximum is set, NaN if a cost is unknown. */
  const leftUsd = (): number | null =>
    maxTotalCostUsd === undefined ? null : sumOf([maxTotalCostUsd, -(spentUsd() ?? NaN)])
  const estimateOf = (route: Route<Id>, modelId: Id) => sumOf([route.estimateOf(modelId), checkUsd])

  return {
    attempts,
    tried,
    source: verification.kind,
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
    /** Returns why the run ends after a failed attempt; null if the run continues. */
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
 * Runs `work` on one model after another until `verify` accepts a result. Rejects if `choose` rejects, except
 * with `BudgetExhausted` after an attempt. Rejects with any error of `work` that is no fault of the provider.
 * If an outage leaves no model to run, `runVerified` rejects unless an earlier attempt had a result.
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
      // If the service gives no answer, the present plan continues. If the budget is used up, only the model
      // that `onBudgetExhausted` chose may run.
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
