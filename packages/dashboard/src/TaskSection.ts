/* The section of tasks: how many were finished, in how many attempts, and what a finished one cost. */
import type { Answers, PolicyRow, TaskFigures } from "./Answers.ts"
import { element, type Element, type Fact, facts, note, section } from "./Element.ts"
import { count, counted, interval, percent, priceOr, shareOr, sumRange } from "./Figures.ts"

const within = (range: string): string => range === "" ? "" : ` (95 % interval ${range})`

const costWords = (
  { cost_high_usd: high, cost_low_usd: low, cost_per_finished_usd: usd }: TaskFigures
): string => {
  if (usd === null) return "not known"
  const isWide = low === null || high === null
  return priceOr(usd) + (isWide ? ": too few to tell its interval" : within(sumRange(low, high)))
}

/** Outcomes on which a claim about another way of choosing rests at least, count. */
const effectiveMin = 30

/** What the model that is best on first attempts would do alone; the log must have outcomes of it. */
const aloneWords = (best: PolicyRow | undefined): string => {
  const { basis, cost_value: cost, success_high: high, success_low: low, success_value: success } = best ?? {}
  const isThin = best === undefined || best.effective_sample_size < effectiveMin
  if (isThin || success == null || basis === "model-based") return "not enough to tell"
  const model = `${best.model_id ?? "a model"}${best.effort === undefined ? "" : `#${best.effort}`}`
  const range = within(interval(low ?? null, high ?? null))
  return `${model}: ${percent(success)} of tasks${range} at ${priceOr(cost ?? null)} each`
}

const factsOf = (tasks: TaskFigures, best: PolicyRow | undefined): ReadonlyArray<Fact> => [
  {
    name: "Finished, of finished and abandoned tasks",
    value: shareOr(tasks.finished_share) + within(interval(tasks.finished_low, tasks.finished_high))
  },
  { name: "Finished by the first attempt", value: count(tasks.n_finished_at_first) },
  { name: "Abandoned: none passed for a day", value: count(tasks.n_abandoned) },
  { name: "Open", value: count(tasks.n_open) },
  { name: "Attempts per task", value: tasks.attempts_per_task?.toFixed(2) ?? "not known" },
  { name: "Cost per finished task", value: costWords(tasks) },
  { name: "The best model alone, one attempt each", value: aloneWords(best) }
]

/** What became of tasks; null where no attempt says which task it is at. */
export const taskSection = ({ policyValue, savings: { tasks = null } }: Answers): Element | null => {
  if (tasks === null) return null
  const best = policyValue.report.policies.find(({ policy }) => policy === "best-single")
  const unknown = tasks.n_unknown === 0
    ? ""
    : ` Of ${counted(tasks.n_unknown, "reported call")} no task is known; these are not among them.`
  const costed = ` All costs are known of ${count(tasks.n_costed)} finished and abandoned tasks.`
  return section(
    "tasks",
    `${count(tasks.n_finished)} of ${counted(tasks.n, "task")} finished`,
    note(`A task is finished when an attempt passed.${costed}${unknown}`),
    element("figure", {}, facts("Tasks", factsOf(tasks, best)))
  )
}
