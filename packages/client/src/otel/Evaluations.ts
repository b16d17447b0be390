/* Turns an evaluation's result into a quality, by the caller's rule for the evaluation. */
import type { EvidenceSource } from "../index.ts"
import { type Attributes, textOf, valueOf } from "./Shapes.ts"

/** A rule that turns an evaluation's scores into verdicts. */
export interface EvaluationRule {
  /** Who gave the score, such as a check, a model or a person. */
  readonly source: EvidenceSource
  /** By default the worst score is 0, the best 1. For toxicity, the best score is below the worst score. */
  readonly worst?: number
  readonly best?: number
  /** Score from which an answer is good; by default eight tenths of the way from the worst to the best. */
  readonly threshold?: number
  /** Qualities in [0, 1] by label in lower case. By default, a label such as `pass` is 1, `fail` is 0. */
  readonly labels?: Readonly<Record<string, number>>
}

export const evaluationEvent = "gen_ai.evaluation.result"

const sources: ReadonlyArray<unknown> = ["gate", "judge", "human", "self_check", "none"]

/** Minimum quality that is a success. */
const good = 0.8

const yesAndNo: Readonly<Record<string, number>> = {
  pass: 1, passed: 1, true: 1, yes: 1, correct: 1, good: 1,
  fail: 0, failed: 0, false: 0, no: 0, incorrect: 0, bad: 0
}

/** Throws a `TypeError` with the evaluation's name if the rule is wrong. */
export const requireRule = (name: string, rule: EvaluationRule): void => {
  const { best = 1, labels = {}, source, threshold, worst = 0 } = rule
  const refuse = (problem: string): never => {
    throw new TypeError(`sextantProcessor: the evaluation ${name} has ${problem}`)
  }
  const share = ((threshold ?? best) - worst) / (best - worst)
  if (!sources.includes(source)) refuse("no source of gate, judge, human, self_check and none")
  if (!Number.isFinite(best - worst) || best === worst) refuse("a best score that is its worst")
  if (!(share > 0 && share <= 1)) refuse("a threshold that is not above the worst score, up to the best")
  for (const quality of Object.values(labels)) {
    if (!(quality >= 0 && quality <= 1)) refuse("a label that is not from 0 to 1")
  }
}

/** Returns a quality in [0, 1]; null if the rule does not know the score or label. */
export const qualityOf = (attributes: Attributes, rule: EvaluationRule): number | null => {
  const { best = 1, labels = yesAndNo, threshold, worst = 0 } = rule
  const score = valueOf(attributes, "gen_ai.evaluation.score.value")
  if (typeof score !== "number") {
    const label = textOf(attributes, "gen_ai.evaluation.score.label")?.toLowerCase() ?? ""
    return Object.hasOwn(labels, label) ? labels[label] ?? null : null
  }
  const share = (score - worst) / (best - worst)
  if (!(share >= 0 && share <= 1)) return null
  if (threshold === undefined) return share
  const from = (threshold - worst) / (best - worst)
  if (share < from) return good * share / from
  return from === 1 ? 1 : good + (1 - good) * (share - from) / (1 - from)
}
