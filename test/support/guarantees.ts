/* Evidence of guarantees that tests make up. */
import type { Trial } from "../../src/stats/ArmContrast.ts"
import { type GuaranteeEvidence, noEvidence, withTask } from "../../src/stats/GuaranteeStates.ts"

/** Small enough that a test sees a candidate withdrawn and rested. */
export const testRule = { loss: 0.05, alpha: 0.05, alarmTrials: 1_000, restTasks: 100 }

/** Trials in turns of two models, of which the candidate fails every `failEvery`th time and the baseline none. */
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
