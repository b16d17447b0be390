/* Builds the body of a question from the task, the caller's models, and the client's memory. */
import { idOf } from "./ForeignValues.ts"
import type { Memory } from "./Memory.ts"
import type { CheckedOptions } from "./Options.ts"
import type { Warn } from "./Warning.ts"
import type { RecommendRequest, TaskInput } from "./Wire.ts"

/** Fields that a caller may add to a request; `shadow` is an option of the client instead. */
export type RequestFields = Partial<Omit<RecommendRequest, "shadow" | "task">>

export interface ChooseOptions<Id extends string = string> {
  /** Id of the conversation, whose current model is priced with its warm prompt cache. */
  readonly conversationId?: string | undefined
  /** Your id of the task; recommendations with the same task id are attempts at one task. */
  readonly taskId?: string | null | undefined
  /** Which of the client's models may run this task, by default all. The default model may always run. */
  readonly models?: ReadonlyArray<Id> | undefined
  readonly signal?: AbortSignal | null | undefined
  /** Maximum wait for the service's answer, ms; a value above 24 days means 24 days. */
  readonly deadlineMs?: number | undefined
  /**
   * The call's parameters, of which only the names are used. A model that refused a parameter is left out of
   * questions with the same parameter names for a while.
   */
  readonly parameters?: object | null | undefined
  /** Further fields of the request in wire format, which replace the client's. Constraints are merged. */
  readonly request?: RequestFields | undefined
}

/**
 * A task of more than 8,000 UTF-16 units is cut to its first 6,000 and last 2,000 units. The service keeps
 * the first 3,000 and the last 1,000 code points of a task.
 */
const taskHead = 6_000
const taskTail = 2_000

export const excerptOf = (task: string): string =>
  (task.length > taskHead + taskTail ? task.slice(0, taskHead) + task.slice(-taskTail) : task).toWellFormed()

/** Throws if reading the task or an option throws, or if JSON cannot hold the value. */
export const requestOf = <Id extends string>(
  { costQualityTradeoff, defaultModelId, models, namespace, renamed, shadow }: CheckedOptions<Id>,
  task: string | TaskInput,
  { models: given, request, taskId: task_id }: ChooseOptions<Id>,
  { incumbent: remembered, isExcluded }: Memory,
  warn: Warn
): string => {
  const some = given?.map(renamed) ?? models
  const { constraints, incumbent_model_id: incumbent = remembered, ...fields } = request ?? {}
  const incumbentId = idOf(incumbent)
  if (!incumbentId && incumbent != null) warn("incumbent", "incumbent is no id")
  const input = typeof task === "string" ? { task } : task
  const excluded = some.filter(isExcluded)
  return JSON.stringify({
    explain: false,
    detail: "short",
    max_candidates: Math.min(Math.max(some.length, 8), 64),
    baseline_model_id: defaultModelId,
    incumbent_model_id: incumbentId,
    namespace,
    cost_quality_tradeoff: costQualityTradeoff,
    task_id,
    ...fields,
    // Only the client's option sets `shadow`; a `shadow` in the caller's `request` is ignored.
    shadow: shadow || undefined,
    task: { ...input, task: excerptOf(input.task) },
    constraints: {
      candidate_models: some,
      // If every model would be excluded, the client excludes none, because a model may work again.
      excluded_models: excluded.length < some.length ? excluded : [],
      ...constraints
    }
  } satisfies RecommendRequest)
}
