/* Models in use that retire within 90 days: the successor of each, and the command to run. */
import { namespaceOf } from "../../../src/domain/LaneName.ts"
import type { AdviceResponse } from "../../../src/domain/reports/Advice.ts"
import { runnable } from "./AdviceSection.ts"
import type { Answers } from "./Answers.ts"
import { command, element, type Element, section } from "./Element.ts"
import { counted, money } from "./Figures.ts"
import { dayWords, successorWords } from "./RetirementWords.ts"

type Retiring = NonNullable<(typeof AdviceResponse.Encoded)["retiring"]>[number]

const titleOf = (retiring: Retiring): string => `${retiring.model_id} ${dayWords(retiring)}`

const sentencesOf = ({ lanes, model_id: old, successor, ...use }: Retiring): string => {
  const where = lanes.length === 1
    ? namespaceOf(lanes[0]!)
    : `${counted(lanes.length, "namespace")}, most in ${namespaceOf(lanes[0] ?? "")}`
  const calls = counted(Math.round(use.calls_per_month), "call")
  return `About ${calls} a month run on it, for ${money(use.usd_per_month)}, in `
    + `${counted(use.n_kinds, "kind")} of task of ${where}. `
    + `${successorWords(successor, old)}.`
}

export const retiringWords = (retiring: Retiring): string =>
  `${titleOf(retiring)}. ${sentencesOf(retiring)}\n  ${retiring.command}`

/** Models in use that retire within 90 days or have retired, with any successors. */
export const retirementSection = (
  { advice, command: own }: Pick<Answers, "advice" | "command">
): Element | null => {
  const retiring = advice?.retiring ?? []
  return retiring.length === 0 ? null : section(
    "retirement",
    "Models that retire",
    element("ul", { class: "cards" }, ...retiring.map((each) =>
      element("li", { class: "card alert" },
        element("p", {}, element("strong", {}, `▲ ${titleOf(each)}`)),
        element("p", {}, sentencesOf(each)),
        command(runnable(each, own)))))
  )
}
