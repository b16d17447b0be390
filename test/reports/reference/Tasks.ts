/* The reference of the report on tasks: the sums behind it, over rows of the ledger. */
import type { LedgerRow } from "../../../src/domain/Decision.ts"
import { chainPrefix, keyOfFirst } from "../../../src/domain/TaskKey.ts"
import type { TaskSums } from "../../../src/reports/savings/SavingsSums.ts"
import { sum, usdMin } from "../../../src/reports/savings/Followed.ts"
import { reportSettings } from "../../../src/reports/ReportSettings.ts"
import { costOf } from "./Followed.ts"
import { isReconciled } from "./Reconciled.ts"

interface Attempt {
  readonly row: LedgerRow
  readonly task: string
}

const hasPassed = ({ row: { feedback } }: Attempt) => feedback?.teaches === true && feedback.outcome === "success"
const isReported = ({ row }: Attempt) => isReconciled(row)

/** A recommendation that advised no attempt, and of which none was reported, has no place among attempts. */
export const hasPlace = (row: LedgerRow) => row.decision.attemptNumber !== 0 || isReconciled(row)

/** Text by which decisions are in the order in which they were made. */
export const inOrder = ({ decision: { createdAt, recommendationId } }: LedgerRow): string =>
  `${createdAt.toISOString()} ${recommendationId}`

/** The attempts at each task in their order, without those that were made in shadow. */
export const tasksIn = (rows: ReadonlyArray<LedgerRow>): ReadonlyArray<ReadonlyArray<Attempt>> => {
  const counted = rows.filter(({ decision }) => !decision.isShadow)
  const keys = new Map(counted.map(({ decision }) => [keyOfFirst(decision.recommendationId), decision.taskKey]))
  const chains = new Set(counted.map(({ decision }) => decision.taskKey).filter((key) => key?.startsWith(chainPrefix)))
  const attempts = counted.flatMap((row): ReadonlyArray<Attempt> => {
    const { recommendationId, taskKey } = row.decision
    const own = keyOfFirst(recommendationId)
    if (taskKey === null) return chains.has(own) ? [{ row, task: own }] : []
    return [{ row, task: chains.has(taskKey) ? keys.get(taskKey) ?? taskKey : taskKey }]
  })
  return [...Map.groupBy(attempts, ({ row, task }) => JSON.stringify([row.decision.lane, task])).values()]
    .map((each) => each.toSorted((a, b) => inOrder(a.row) < inOrder(b.row) ? -1 : 1))
}

/** The sums over tasks; null where no row that is not in shadow says its task. */
export const taskSums = (rows: ReadonlyArray<LedgerRow>): TaskSums | null => {
  const counted = rows.filter(({ decision }) => !decision.isShadow)
  if (counted.every(({ decision }) => decision.taskKey === null)) return null
  const tasks = tasksIn(rows).filter((each) => each.some(isReported))
  const isFinished = (task: ReadonlyArray<Attempt>) => task.some(hasPassed)
  const ended = tasks.filter((task) => isFinished(task)
    || task.every(({ row }) => row.decision.createdAt.getTime() <= Date.now() - reportSettings.taskOpenMs))
  const costsOf = (task: ReadonlyArray<Attempt>) => task.flatMap(({ row }) => costOf(row.feedback) ?? [])
  const usd = (task: ReadonlyArray<Attempt>) => sum(costsOf(task), (each) => each)
  const costed = ended.filter((task) => costsOf(task).length === task.filter(isReported).length)
  return {
    tasks: tasks.length,
    finished: tasks.filter(isFinished).length,
    finishedAtFirst: tasks.map((task) => task.find(({ row }) => hasPlace(row))).filter((first) =>
      first !== undefined && hasPassed(first) && (first.row.decision.attemptNumber ?? 1) === 1).length,
    abandoned: ended.filter((task) => !isFinished(task)).length,
    attempts: sum(ended, (task) => task.filter(isReported).length),
    costed: {
      n: costed.length,
      denominator: costed.filter(isFinished).length,
      numerator: sum(costed, usd),
      squares: sum(costed, (task) => usd(task) > usdMin ? usd(task) ** 2 : 0),
      both: sum(costed.filter(isFinished), usd)
    },
    unknown: counted.filter(isReconciled).length - sum(tasks, (task) => task.filter(isReported).length)
  }
}
