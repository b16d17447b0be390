/* A label that is in another row than its call, and the reading of the label's value. */
import type { EvidenceSource } from "../../domain/feedback/Feedback.ts"
import { textOf } from "../formats/Values.ts"
import type { LeftOut } from "../LoggedCall.ts"

export interface FoundLabel {
  readonly key: string
  /** The name of the score, for example `correctness`. */
  readonly name: string
  /** A number on any scale, or the reason why the label cannot be used. */
  readonly value: number | LeftOut
  readonly source: EvidenceSource | null
}

/** Words that mean success or failure, with their quality. */
const words: ReadonlyMap<string, number> = new Map([
  ...["true", "yes", "pass", "passed", "correct", "success"].map((word) => [word, 1] as const),
  ...["false", "no", "fail", "failed", "incorrect", "failure"].map((word) => [word, 0] as const)
])

/** Returns the number of a score, even of a word, or the reason to leave the score out. */
export const scoreOf = (value: unknown, word: unknown): number | LeftOut => {
  const text = textOf(value)?.trim() ?? ""
  const meant = words.get((textOf(word) ?? text).trim().toLowerCase())
  if (text === "" || !Number.isFinite(Number(text))) {
    return meant ?? { reason: "label_not_numeric", detail: (textOf(word) ?? text).slice(0, 40) }
  }
  return Number(text)
}

/** Names of scores that do not measure quality, for example a risk or a cost. */
const notQuality = new RegExp(
  "toxic|hallucinat|harm|\\bbias|error|risk|latency|\\bcost|token|\\bpii\\b|injection|jailbreak|profan|refus"
  + "|length",
  "i"
)

export const isOfQuality = (name: string): boolean => !notQuality.test(name)
