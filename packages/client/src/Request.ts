/* The body of a question: the task, the caller's models, and what the client remembers. */
import { idOf } from "./ForeignValues.ts"
import type { Memory } from "./Memory.ts"
import type { CheckedOptions } from "./Options.ts"
import type { Warn } from "./Warning.ts"
import type { RecommendRequest, TaskInput } from "./Wire.ts"

/** Fields of a request that a caller may add. `shadow` is none of them: it is an option of the client. */
export type RequestFields = Partial<Omit<RecommendRequest, "shadow" | "task">>

/** Options of one question. */
export interface ChooseOptions<Id extends string = string> {
  /** Turns of one conversation: its model holds a warm prompt cache, and is priced with it. */
  readonly conversationId?: string | undefined
  /** Your name of the task: reports join the attempts at it. */
  readonly taskId?: string | null | undefined
  /** The client's models that may run this task; all by default. The default runs after a failure anyway. */
  readonly models?: ReadonlyArray<Id> | undefined
  /** To give the question up. */
  readonly signal?: AbortSignal | null | undefined
  /** Instead of the client's, in ms; `Infinity` waits as long as it takes. */
  readonly deadlineMs?: number | undefined
  /**
   * The parameters that the call of the model has, of which the names are read: a model that refuses one is
   * left out of questions with the same.
   */
  readonly parameters?: object | null | undefined
  /** Further fields of the request, as they are on the wire; these win. */
  readonly request?: RequestFields | undefined
}

/** Ends of a task that are sent, in UTF-16 units; the service keeps 3,000 and 1,000 characters of them. */
const taskHead = 6_000
const taskTail = 2_000

/** A task without the middle that the service does not keep. */
export const excerptOf = (task: string): string =>
  (task.length > taskHead + taskTail ? task.slice(0, taskHead) + task.slice(-taskTail) : task).toWellFormed()

/** The body as JSON; throws for a task or an option that cannot be read or written. */
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
    // Not the caller's to say of one question: the model that it names would run all the same.
    shadow: shadow || undefined,
    task: { ...input, task: excerptOf(input.task) },
    constraints: {
      candidate_models: some,
      // Never all of them: one that may be back is better than none.
      excluded_models: excluded.length < some.length ? excluded : [],
      ...constraints
    }
  } satisfies RecommendRequest)
}
