/* Ways of choosing and what their estimates rest on, in words and marks. */
import type { PolicyRow } from "./Answers.ts"
import type { MarkShape } from "./charts/IntervalChart.ts"
import { moneyTick } from "./Figures.ts"

const named: Readonly<Record<string, string>> = {
  "deployed": "Sextant as it ran",
  "cheapest-eligible": "Always the cheapest that is likely enough",
  "always-premium": "Always the most expensive",
  "always-cheapest": "Always the cheapest",
  "best-single": "Best single model"
}

/** A position of `cost_quality_tradeoff`, with its ends in words. */
const sliderName = (position: string): string =>
  `Cost against quality at ${position} of 10${
    position === "0" ? ", the cheapest" : position === "10" ? ", the best" : ""
  }`

/** What an estimate rests on, in a word or two. */
export const basisNames: Readonly<Record<PolicyRow["basis"], string>> = {
  "empirical": "counted",
  "doubly-robust": "corrected by outcomes",
  "partly-model-based": "partly predicted",
  "model-based": "predicted"
}

/** A way of choosing in words. */
export const nameOf = ({ policy }: PolicyRow): string =>
  named[policy] ?? (policy.startsWith("slider-")
    ? sliderName(policy.slice(7))
    : policy.startsWith("value-") ? `A success worth ${moneyTick(Number(policy.slice(6)))}` : policy)

interface Mark {
  readonly shape: MarkShape
  readonly isHollow: boolean
  readonly character: string
}

/** Shapes distinguish bases without colour: filled for measured ones, hollow for predicted ones. */
const marks: Readonly<Record<string, Mark>> = {
  "empirical": { shape: "circle", isHollow: false, character: "●" },
  "doubly-robust": { shape: "square", isHollow: false, character: "■" }
}
const predicted: Mark = { shape: "triangle", isHollow: true, character: "△" }
/** How a basis is drawn. */
export const markOf = (basis: string): Mark => marks[basis] ?? predicted
