/* The true results of the demo's tasks, those of the teams' own models, and the state of its guarantees. */
import { counted, money, rate } from "../../packages/dashboard/src/Figures.ts"
import type { AccountGuaranteeResponse } from "../../src/domain/account/Guarantee.ts"
import { teams } from "./teams.ts"
import type { Result } from "./traffic.ts"

/** One attempt at a task that was reported. */
export interface Reported {
  readonly namespace: string
  readonly isFirst: boolean
  readonly ran: string
  readonly result: Result
  /** Cost of the call, US dollars, also if its bill was not reported. */
  readonly costUsd: number
}

/** A task, and the result of the team's own model at it. An unreported task has no attempts. */
export interface Task {
  readonly namespace: string
  readonly ownModelId: string | null
  readonly attempts: ReadonlyArray<Reported>
  readonly own: { readonly isSuccess: boolean; readonly costUsd: number } | null
}

const isFinished = ({ attempts }: Task): boolean => attempts.some(({ result }) => result.outcome === "success")
const sum = <A>(all: ReadonlyArray<A>, of: (each: A) => number): number =>
  all.reduce((total, each) => total + of(each), 0)

const costOfAll = (tasks: ReadonlyArray<Task>): number =>
  sum(tasks, ({ attempts }) => sum(attempts, ({ costUsd }) => costUsd))
const ownCostOf = (tasks: ReadonlyArray<Task>): number => sum(tasks, ({ own }) => own?.costUsd ?? 0)

/** Success and cost of tasks, and those of the team's own model. */
const lineOf = (name: string, tasks: ReadonlyArray<Task>, ownModels: string): string => {
  const shareOf = (of: (task: Task) => boolean) => rate(tasks.filter(of).length / tasks.length)
  const lost = tasks.filter((task) => task.own?.isSuccess === true && !isFinished(task)).length
  const won = tasks.filter((task) => task.own?.isSuccess === false && isFinished(task)).length
  return `${name}: ${shareOf(isFinished)} of ${counted(tasks.length, "reported task")} solved for`
    + ` ${money(costOfAll(tasks))}. ${ownModels} alone: ${shareOf((task) => task.own?.isSuccess === true)} for`
    + ` ${money(ownCostOf(tasks))}.\n`
    + `  Lost on the way: ${lost} that would have been solved so. Won: ${won} that would not.`
}

/** A line for each team, one for all teams, and the true saving. */
export const truthLines = (tasks: ReadonlyArray<Task>): ReadonlyArray<string> => {
  const known = tasks.filter(({ attempts, own }) => own !== null && attempts.length > 0)
  return [
    ...teams.map(({ baselineModelId, namespace }) => {
      const own = known.filter((task) => task.namespace === namespace)
      return own.length === 0
        ? `${namespace}: names no model of its own, so nothing is compared.`
        : lineOf(namespace, own, baselineModelId ?? "")
    }),
    lineOf("Together", known, "Their own models"),
    `True saving: ${money(ownCostOf(known) - costOfAll(known))}.`
  ]
}

/** A line on the state of each guarantee. */
export const guaranteeLines = ({ kinds }: AccountGuaranteeResponse): ReadonlyArray<string> =>
  kinds.map(({ baselineModelId, candidates, lane, state, taskType }) => {
    const [first] = candidates
    const where = `Guarantee of ${lane.replace("sextant:", "")}, ${taskType}`
    if (first === undefined) return `${where}: nothing was tried in place of ${baselineModelId} yet.`
    const { modelId, outcomesNeeded } = candidates.find((each) => each.state === state) ?? first
    if (state === "held") return `${where}: ${modelId} is proven, and held in place of ${baselineModelId}.`
    const toGo = outcomesNeeded === null ? "" : `; about ${counted(outcomesNeeded, "more outcome")} to go`
    return `${where}: ${modelId} is not proven yet in place of ${baselineModelId}${toGo}.`
  })
