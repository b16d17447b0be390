/* Finds the model of the next attempt: first by the service's plan, then by the client's order. */
import { type Choice, spelled } from "../Choice.ts"
import { attempt } from "../ForeignValues.ts"
import { known } from "../Usage.ts"
import type { PlanStop } from "../Wire.ts"

/** Reasons why a plan ends, after which the client must not try further models either. */
type PlanEnd = Extract<PlanStop, "not_worth_it" | "max_total_cost">
const planEnds: ReadonlyArray<PlanEnd> = ["not_worth_it", "max_total_cost"]

export type RouteEnd = PlanEnd | "no_model" | "budget_exhausted"

export interface Route<Id extends string> {
  readonly choice: Choice<Id>
  /** Returns the model that a new choice runs first; null if no model is worth trying or none is left. */
  readonly first: () => Id | null
  /** Returns the model to run after a failed check; null if no model is worth trying or no model is left. */
  readonly afterFailure: () => Id | null
  /** Returns the model to run after a provider's fault with the model `out`; null if no model is left. */
  readonly afterFault: (out: Id) => Id | null
  /** Why no further model runs; valid only after `first`, `afterFailure` or `afterFault` returned null. */
  readonly end: RouteEnd
  /** Returns the service's estimate of a call's cost in US dollars; null if the service gave no estimate. */
  readonly estimateOf: (modelId: Id) => number | null
}

/** The caller adds each model that ran at the task to `tried`. */
export const routeOf = <Id extends string>(
  models: ReadonlyArray<Id>,
  choice: Choice<Id>,
  tried: ReadonlySet<Id>
): Route<Id> => {
  const { modelId, reason, recommendation } = choice
  const plan = reason === "shadow" ? null : recommendation?.plan
  const order = attempt(() => plan ? plan.attempts.map(spelled) : null, null)
  const stop = planEnds.find((one) => one === plan?.stop_reason)
  // If the chosen model is first in the plan, the plan's first attempt is already taken.
  let planned = (order ?? []).slice(Number(order?.[0] === modelId))
    .filter((id): id is Id => models.includes(id as Id))

  const chained = (): Id | null => {
    for (;;) {
      const id = choice.next()
      if (id === null || !tried.has(id)) return id
    }
  }
  const afterFailure = (): Id | null => planned.shift() ?? (stop ? null : chained())

  return {
    choice,
    first: () => {
      if (order?.length === 0) return null
      return choice.source === "default" && tried.has(modelId) ? afterFailure() : modelId
    },
    afterFailure,
    afterFault: (out) => {
      if (choice.fault === "parameters") return chained()
      planned = planned.filter((id) => id !== out)
      const next = planned.find((id) => !tried.has(id))
      if (next === undefined) return chained()
      planned.splice(planned.indexOf(next), 1)
      return next
    },
    end: reason === "budget_exhausted" ? reason : stop ?? "no_model",
    estimateOf: (id) =>
      attempt(() => {
        const { ranked = [], recommended_model: picked } = recommendation ?? {}
        const usd = [picked, ...ranked].find((model) => spelled(model) === id)?.est_cost_usd
        return known(usd) ? usd : null
      }, null)
  }
}
