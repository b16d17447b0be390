/* Evidence of guarantees that tests make up. */
import { noRestarts } from "../../src/domain/model/ModelIdentity.ts"
import type { GuaranteeCriteria } from "../../src/engine/policies/GuaranteeCriteria.ts"
import type { Trial } from "../../src/stats/TrialScores.ts"
import { type GuaranteeEvidence, noEvidence, withTask } from "../../src/stats/GuaranteeStates.ts"

/** Small enough that a test sees a candidate withdrawn and rested. */
export const testRule = { loss: 0.05, alpha: 0.05, alarmTrials: 1_000, restTasks: 100 }

/** A guarantee against the baseline `dear`, without evidence. */
export const guaranteeBy = (over: Partial<GuaranteeCriteria> = {}): GuaranteeCriteria => ({
  baselineModelId: "dear", maxQualityLoss: 0.05, confidence: 0.95, trialShare: 0.2, isPaired: false,
  isUncounted: false, restarts: noRestarts, kind: "code", evidence: noEvidence, ...over
})

/** Trials in turns of candidate and baseline. The candidate fails every `failEvery`th time, and the baseline never. */
export const trials = (count: number, failEvery = Infinity): ReadonlyArray<Trial> =>
  Array.from({ length: count }, (_, at): Trial => at % 2 === 0
    ? { share: 0.5, ran: "candidate", candidate: (at / 2 + 1) % failEvery === 0 ? 0 : 1, baseline: null }
    : { share: 0.5, ran: "baseline", candidate: null, baseline: 1 })

/** The evidence after those trials of a candidate in a kind of task. */
export const evidenceAfter = (
  all: ReadonlyArray<Trial>,
  { before = noEvidence, candidate = "cheap", kind = "code", rule = testRule, since = 0 } = {}
): GuaranteeEvidence =>
  all.reduce((evidence, trial) => withTask(rule, evidence, { kind, candidate, trial, since }), before)
