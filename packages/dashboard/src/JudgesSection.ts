/* The section of judges: how often their verdicts are wrong, and the success corrected for that. */
import type { Answers } from "./Answers.ts"
import { type Column, element, type Element, figures, folded, note, section, table } from "./Element.ts"
import { count, interval, percent, shareOr } from "./Figures.ts"
import { provenanceWords } from "./Outcomes.ts"

type Judge = NonNullable<Answers["dashboard"]["judges"]>[number]

/** Minimum number of checked verdicts with which the service corrects the success that a judge reports. */
const checkedEnough = 30

const successWords = ({ success = null, success_high: high, success_low: low }: Judge): string =>
  success === null ? "judge not checked" : `${percent(success)} (${interval(low ?? null, high ?? null)})`

const columns: ReadonlyArray<Column<Judge>> = [
  { title: "Judged", cell: ({ source }) => provenanceWords(source) },
  { title: "Kind of task", cell: ({ task_type: type }) => type ?? "all" },
  figures("Calls", ({ n_judged: n }) => count(n)),
  figures("Checked", ({ n_checked: n }) => count(n)),
  figures("Passes wrong", ({ pass_wrong: share }) => shareOr(share ?? null)),
  figures("Fails right", ({ fail_right: share }) => shareOr(share ?? null)),
  figures("Success by its word", ({ success_judged: share }) => percent(share)),
  figures("Corrected", successWords)
]

const ofAll = (judges: ReadonlyArray<Judge>) => judges.filter(({ task_type: type }) => type == null)
const ofKinds = (judges: ReadonlyArray<Judge>) => judges.filter(({ task_type: type }) => type != null)

/** Shows how often judges, readers and callers are wrong; null if none of them gave a verdict. */
export const judgesSection = ({ dashboard: { judges = [] } }: Answers): Element | null =>
  judges.length === 0 ? null : section(
    "judges",
    "What judges are worth",
    note(`A call is checked when a gate or a person judged it too. From ${checkedEnough} on, success is`
      + " corrected by what these show, with its 95 % interval; the checked calls must be like the others."),
    element(
      "figure",
      {},
      table("Verdicts of judges, readers and callers", columns, ofAll(judges)),
      folded("By kind of task", table("Their verdicts by kind of task", columns, ofKinds(judges)))
    )
  )
