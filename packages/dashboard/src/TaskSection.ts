/* The section of tasks: finished tasks, their attempts, and their cost. */
import type { Answers, TaskFigures } from "./Answers.ts"
import { element, type Element, type Fact, facts, note, section } from "./Element.ts"
import { count, counted, interval, priceOr, shareOr, sumRange } from "./Figures.ts"

const within = (range: string): string => range === "" ? "" : ` (95 % interval ${range})`

const costWords = (
  { cost_high_usd: high, cost_low_usd: low, cost_per_finished_usd: usd }: TaskFigures
): string => {
  if (usd === null) return "not known"
  const isWide = low === null || high === null
  return priceOr(usd) + (isWide ? ": too few to tell its interval" : within(sumRange(low, high)))
}

const factsOf = (tasks: TaskFigures): ReadonlyArray<Fact> => [
  {
    name: "Finished, of finished and abandoned tasks",
    value: shareOr(tasks.finished_share) + within(interval(tasks.finished_low, tasks.finished_high))
  },
  { name: "Finished by the first attempt", value: count(tasks.n_finished_at_first) },
  { name: "Abandoned: none passed for a day", value: count(tasks.n_abandoned) },
  { name: "Open", value: count(tasks.n_open) },
  { name: "Attempts per task", value: tasks.attempts_per_task?.toFixed(2) ?? "not known" },
  { name: "Cost per finished task", value: costWords(tasks) }
]

/** The section of tasks; null if no task is known. */
export const taskSection = ({ savings: { tasks = null } }: Pick<Answers, "savings">): Element | null => {
  if (tasks === null) return null
  const unknown = tasks.n_unknown === 0
    ? ""
    : ` Of ${counted(tasks.n_unknown, "reported call")} no task is known; these are not among them.`
  const costed = ` All costs are known of ${count(tasks.n_costed)} finished and abandoned tasks.`
  return section(
    "tasks",
    `${count(tasks.n_finished)} of ${counted(tasks.n, "task")} finished`,
    note(`A task is finished when an attempt passed.${costed}${unknown}`),
    element("figure", {}, facts("Tasks", factsOf(tasks)))
  )
}
