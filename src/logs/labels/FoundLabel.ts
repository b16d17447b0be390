/* A label that stands in another row than its call, and how a score's value is read as a quality. */
import type { EvidenceSource } from "../../domain/feedback/Feedback.ts"
import { textOf } from "../formats/Values.ts"
import type { LeftOut } from "../LoggedCall.ts"

/** What one row or event says of the quality of a call. */
export interface FoundLabel {
  /** The call that it is about, as its format names calls. */
  readonly key: string
  /** What was scored: `correctness`. All scores of a name are on one scale. */
  readonly name: string
  /** A number of any scale; a word for a label that says nothing. */
  readonly value: number | LeftOut
  readonly source: EvidenceSource | null
}

/** Words that say by themselves whether a call succeeded. */
const words: ReadonlyMap<string, number> = new Map([
  ...["true", "yes", "pass", "passed", "correct", "success"].map((word) => [word, 1] as const),
  ...["false", "no", "fail", "failed", "incorrect", "failure"].map((word) => [word, 0] as const)
])

/** A number, or a word that means one. */
export const scoreOf = (value: unknown, word: unknown): number | LeftOut => {
  const text = textOf(value)?.trim() ?? ""
  const meant = words.get((textOf(word) ?? text).trim().toLowerCase())
  if (text === "" || !Number.isFinite(Number(text))) {
    return meant ?? { reason: "label_not_numeric", detail: (textOf(word) ?? text).slice(0, 40) }
  }
  return Number(text)
}

/** Names of scores of something else than quality, of which more is worse or neither. */
const notQuality = new RegExp(
  "toxic|hallucinat|harm|\\bbias|error|risk|latency|\\bcost|token|\\bpii\\b|injection|jailbreak|profan|refus"
  + "|length",
  "i"
)

/** Whether a score of this name says how good an answer is. */
export const isOfQuality = (name: string): boolean => !notQuality.test(name)
