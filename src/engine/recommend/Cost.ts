/** Stage 5: what the task would cost with each candidate, and how long it would take. */
import type { Effect } from "effect"
import { pureStage } from "../../telemetry/Tracing.ts"
import { Settings } from "../Settings.ts"
import type { Predicted, PricedCandidate } from "./candidates/Candidate.ts"
import type { Goal } from "./choice/Optimized.ts"
import { type CostQuery, price } from "./cost/Price.ts"

const costing = pureStage("cost", Settings)

/** {@link price} as a stage. */
export const cost = (
  candidates: ReadonlyArray<Predicted>,
  query: CostQuery,
  goal: Goal
): Effect.Effect<ReadonlyArray<PricedCandidate>, never, Settings> =>
  costing((settings) => price(settings, candidates, query, goal))
