/* Turns the result of an evaluation into a verdict, by the caller's rule for that evaluation. */
import type { EvidenceSource } from "../index.ts"
import { type Attributes, textOf, valueOf } from "./Shapes.ts"

/** How the scores of an evaluation become a verdict. */
export interface EvaluationRule {
  /** Who says so: a deterministic check, a judging model, a person; `none` counts cost and latency alone. */
  readonly source: EvidenceSource
  /** The worst and the best score, 0 and 1 by default; the best may be the lower one, as of a toxicity. */
  readonly worst?: number
  readonly best?: number
  /** The score from which an answer is good; by default eight tenths of the way to the best. */
  readonly threshold?: number
  /** Qualities, 0 to 1, of labels in lower case, for results without a score; by default of yes and no. */
  readonly labels?: Readonly<Record<string, number>>
}

/** The event that carries the result of an evaluation. */
export const evaluationEvent = "gen_ai.evaluation.result"

const sources: ReadonlyArray<unknown> = ["gate", "judge", "human", "self_check", "none"]

/** The quality from which an answer is a success. */
const good = 0.8

const yesAndNo: Readonly<Record<string, number>> = {
  pass: 1, passed: 1, true: 1, yes: 1, correct: 1, good: 1,
  fail: 0, failed: 0, false: 0, no: 0, incorrect: 0, bad: 0
}

/** Throws a `TypeError` that names the evaluation whose rule is wrong. */
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

/** The quality, from 0 to 1, of a result by its rule; null if it has none. */
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
