/** Stage 4: how likely each candidate is to succeed, from all that is known of it. */
import type { Effect } from "effect"
import { pureStage } from "../../telemetry/Tracing.ts"
import { Settings } from "../Settings.ts"
import type { Candidate, Predicted } from "./candidates/Candidate.ts"
import { type PredictionEvidence, predict } from "./prediction/Predict.ts"

const aggregating = pureStage("aggregate", Settings)

/** {@link predict} as a stage. */
export const aggregate = (
  candidates: ReadonlyArray<Candidate>,
  evidence: PredictionEvidence
): Effect.Effect<ReadonlyArray<Predicted>, never, Settings> =>
  aggregating((settings) => predict(settings, candidates, evidence))
