/* Finds the next model after an answer failed its check, for frameworks that call the models themselves. */
import { BudgetExhausted } from "../Budget.ts"
import type { ChooseOptions } from "../Request.ts"
import type { Sextant } from "../Sextant.ts"
import type { TaskInput } from "../Wire.ts"
import { type Attempt, toldOf } from "./Attempts.ts"
import { type Route, routeOf } from "./Route.ts"

export type Failed<Id extends string = string> = Pick<
  Attempt<Id>, "modelId" | "quality" | "recommendationId"
>

/**
 * Asks for the next model after failed attempts. If the service gives no answer, the present order continues.
 * `next` is null if no model is left, if none is worth its cost, or if a used-up budget forbids all models.
 */
export const askAgain = async <Id extends string>(
  sextant: Sextant<Id>,
  { options, task }: { readonly task: TaskInput; readonly options: ChooseOptions<Id> },
  route: Route<Id>,
  failed: ReadonlyArray<Failed>,
  tried: ReadonlySet<Id>
): Promise<{ readonly route: Route<Id>; readonly next: Id | null }> => {
  const attempts = toldOf(failed, "gate", options.request?.attempts)
  try {
    const choice = await sextant.choose(task, { ...options, request: { ...options.request, attempts } })
    if (choice.recommendation === null && choice.reason !== "budget_exhausted") {
      return { route, next: route.afterFailure() }
    }
    const asked = routeOf(sextant.models, choice, tried)
    return { route: asked, next: asked.first() }
  } catch (error) {
    if (error instanceof BudgetExhausted) return { route, next: null }
    throw error
  }
}
