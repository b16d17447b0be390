/* The section of much cheaper models that were hardly tried, by kind of task. */
import type { Answers } from "./Answers.ts"
import { type Column, element, type Element, note, section, table } from "./Element.ts"
import { count, counted, kindOfTask, money } from "./Figures.ts"
import { namespaceOf } from "../../../src/domain/LaneName.ts"

type Untried = NonNullable<Answers["dashboard"]["untried_cheaper"]>[number]

const columns: ReadonlyArray<Column<Untried>> = [
  { title: "Namespace", cell: ({ lane }) => namespaceOf(lane) },
  { title: "Kind of task", cell: ({ cluster }) => kindOfTask(cluster) },
  { title: "Recommended", cell: ({ recommended_model_id: modelId }) => modelId },
  { title: "Hardly tried", cell: ({ model_id: modelId }) => modelId },
  { title: "Outcomes that would tell", cell: ({ trials }) => count(trials), isNumeric: true },
  {
    title: "Could save per 1,000 calls",
    cell: ({ could_save_usd_per_1000: usd }) => money(usd),
    isNumeric: true
  }
]

/** What to try, by the newest decision of each kind among the last ones; null where there is nothing. */
export const untriedSection = (
  { dashboard: { decisions, untried_cheaper: untried = [] } }: Answers
): Element | null =>
  untried.length === 0 ? null : section(
    "untried",
    `A cheaper model is hardly tried for ${counted(untried.length, "kind")} of task`,
    note(
      "A choice by predictions may never try it. Name it alone in candidate_models for some tasks and report"
      + ` them, or run sextant audition --teach. Of the last ${counted(decisions.length, "decision")}, the`
      + " newest of each kind says so."
    ),
    element("figure", {}, table("Cheaper models that were hardly tried", columns, untried))
  )
