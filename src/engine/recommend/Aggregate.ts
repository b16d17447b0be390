/** Stage 4: how likely each candidate is to succeed, from all that is known of it. */
import { Effect } from "effect"
import { stage } from "../../telemetry/Tracing.ts"
import { Settings } from "../Settings.ts"
import type { Candidate, Predicted } from "./candidates/Candidate.ts"
import { type PredictionEvidence, predict } from "./prediction/Predict.ts"

/** {@link predict} as a stage. */
export const aggregate = Effect.fnUntraced(function*(
  candidates: ReadonlyArray<Candidate>,
  evidence: PredictionEvidence
): Effect.fn.Return<ReadonlyArray<Predicted>, never, Settings> {
  return predict(yield* Settings, candidates, evidence)
}, stage("aggregate"))
