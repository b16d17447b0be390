/** Stage 5: what the task would cost with each candidate, and how long it would take. */
import { Effect } from "effect"
import { stage } from "../../telemetry/Tracing.ts"
import { Settings } from "../Settings.ts"
import type { Predicted, Priced } from "./candidates/Candidate.ts"
import type { Goal } from "./choice/Choose.ts"
import { type CostQuery, price } from "./cost/Price.ts"

/** {@link price} as a stage. */
export const cost = Effect.fnUntraced(function*(
  candidates: ReadonlyArray<Predicted>,
  query: CostQuery,
  goal: Goal
): Effect.fn.Return<ReadonlyArray<Priced>, never, Settings> {
  return price(yield* Settings, candidates, query, goal)
}, stage("cost"))
