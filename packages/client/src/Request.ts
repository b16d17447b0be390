/* The body of a question: the task, the caller's models, and the client's memory. */
import { idOf } from "./ForeignValues.ts"
import type { Memory } from "./Memory.ts"
import type { CheckedOptions } from "./Options.ts"
import type { Warn } from "./Warning.ts"
import type { RecommendRequest, TaskInput } from "./Wire.ts"

/** Fields of a request that a caller may add. `shadow` is an option of the client instead. */
export type RequestFields = Partial<Omit<RecommendRequest, "shadow" | "task">>

export interface ChooseOptions<Id extends string = string> {
  /**
   * The conversation of this question. The model that holds its warm prompt cache is priced with the cache.
   */
  readonly conversationId?: string | undefined
  /** Your name of the task. Reports with one name are attempts at one task. */
  readonly taskId?: string | null | undefined
  /**
   * The client's models that may run this task, all by default. After a failure the default may run as well.
   */
  readonly models?: ReadonlyArray<Id> | undefined
  /** The signal that ends the wait for an answer. */
  readonly signal?: AbortSignal | null | undefined
  /** Deadline in place of the client's, in ms; `Infinity` sets none. */
  readonly deadlineMs?: number | undefined
  /**
   * The parameters of the model's call, of which only the names are read. A model that refused one is left
   * out of questions with the same names.
   */
  readonly parameters?: object | null | undefined
  /** Further fields of the request in wire format. They replace the client's own. */
  readonly request?: RequestFields | undefined
}

/**
 * Lengths of the sent beginning and end of a task, in UTF-16 units. The service keeps 3,000 and 1,000
 * characters.
 */
const taskHead = 6_000
const taskTail = 2_000

/** A task without its middle, which the service would drop. */
export const excerptOf = (task: string): string =>
  (task.length > taskHead + taskTail ? task.slice(0, taskHead) + task.slice(-taskTail) : task).toWellFormed()

/** The body as JSON. Throws if the task or an option cannot be read or written. */
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
    // A single question cannot be in shadow, because its caller would run the named model.
    shadow: shadow || undefined,
    task: { ...input, task: excerptOf(input.task) },
    constraints: {
      candidate_models: some,
      // If all are excluded, none is: a model that may be back is better than none.
      excluded_models: excluded.length < some.length ? excluded : [],
      ...constraints
    }
  } satisfies RecommendRequest)
}
