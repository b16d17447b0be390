/* The section of needed verdicts: how many more tell two models apart, by kind of task. */
import type { Answers } from "./Answers.ts"
import { element, type Element, note, section } from "./Element.ts"
import { count, counted, kindOfTask, nameOf } from "./Figures.ts"

type Needed = NonNullable<Answers["dashboard"]["verdicts_needed"]>[number]

/** If more verdicts than this are needed to tell two models apart, the service gives no number. */
const verdictsMost = 4_000

/** Rounds up to a number with two significant digits: 123 becomes "130". */
const about = (verdicts: number): string => {
  const step = 10 ** Math.max(0, Math.floor(Math.log10(verdicts)) - 1)
  return count(Math.ceil(verdicts / step) * step)
}

const toldWords = ({ rival, usual }: Needed): string => {
  const [better, worse] = rival.success > usual.success ? [rival, usual] : [usual, rival]
  return `told apart, ${nameOf(better)} is better than ${nameOf(worse)}, or less than 5 points worse`
}

const neededWords = ({ days, verdicts, verdicts_paired: paired }: Needed): string => {
  const together = paired === null ? "" : `; ${about(paired)} if both run each task`
  if (verdicts === null) return `over ${count(verdictsMost)} more verdicts to tell${together}`
  const when = days === null ? "" : ` (${counted(days, "day")} at your rate)`
  return `about ${about(verdicts)} more ${verdicts === 1 ? "verdict" : "verdicts"}${when} to tell${together}`
}

const outlookWords = (needed: Needed): string =>
  needed.verdicts === 0 ? toldWords(needed) : neededWords(needed)

/** Verdicts needed: "hard code: gpt-5 and gpt-5-mini: over 4,000 more verdicts to tell." */
export const verdictsWords = (needed: Needed): string => {
  const { cluster, rival, usual } = needed
  return `${kindOfTask(cluster)}: ${nameOf(usual)} and ${nameOf(rival)}: ${outlookWords(needed)}.`
}

/** Says by kind of task how many more verdicts would tell two models apart; null if none are compared. */
export const verdictsSection = ({ dashboard: { verdicts_needed: needed = [] } }: Answers): Element | null =>
  needed.length === 0 ? null : section(
    "verdicts",
    "How many verdicts it takes",
    note("The model recommended most and its nearest rival that is not known to be dearer or succeeds more"
      + " often, half of the verdicts for each. Told apart means with 95\u00a0% confidence, up to 5 points."),
    element("ul", { class: "plain" }, ...needed.map((each) => element("li", {}, verdictsWords(each))))
  )
