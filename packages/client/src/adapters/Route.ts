/* Finds the model of the next attempt: by the service's plan, then by the client's own order. */
import { type Choice, spelled } from "../Choice.ts"
import { attempt } from "../ForeignValues.ts"
import { known } from "../Usage.ts"
import type { PlanStop } from "../Wire.ts"

/** Reasons for a plan's end after which the client's own order does not continue either. */
type PlanEnd = Extract<PlanStop, "not_worth_it" | "max_total_cost">
const planEnds: ReadonlyArray<PlanEnd> = ["not_worth_it", "max_total_cost"]

/** Why no further model follows from an answer. */
export type RouteEnd = PlanEnd | "no_model" | "budget_exhausted"

export interface Route<Id extends string> {
  readonly choice: Choice<Id>
  /** The model of the next attempt; null if none is worth trying or left. */
  readonly first: () => Id | null
  /** The model after a failed check; null if none is worth trying or left. */
  readonly afterFailure: () => Id | null
  /** The model after an outage of another one; null if none is left. */
  readonly afterFault: (out: Id) => Id | null
  /** Why no further model follows. Read it only after a null. */
  readonly end: RouteEnd
  /** The service's estimate of a call of the model, USD; null without one. */
  readonly estimateOf: (modelId: Id) => number | null
}

/** The route of a choice. `tried` holds the models that ran at the task, and the caller adds to it. */
export const routeOf = <Id extends string>(
  models: ReadonlyArray<Id>,
  choice: Choice<Id>,
  tried: ReadonlySet<Id>
): Route<Id> => {
  const { modelId, reason, recommendation } = choice
  const plan = reason === "shadow" ? null : recommendation?.plan
  const order = attempt(() => plan ? plan.attempts.map(spelled) : null, null)
  const stop = planEnds.find((one) => one === plan?.stop_reason)
  // The choice makes the plan's first attempt if the client has its model.
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
