/* Whether a model can read a task and write its answer: its context window and its longest answer. */
import type { RecommendWarning } from "../../../domain/Warning.ts"
import type { ModelCard } from "../../../domain/model/Model.ts"
import type { TaskInput } from "../../../domain/Task.ts"
import { inputTokens, type ListCostRule, outputTokens } from "../cost/ListCost.ts"
import type { Classified } from "./Candidate.ts"
import { type Pool, restricted } from "./Pool.ts"

/**
 * Whether the expected tokens fit into a model: input and output into its window, the output into its longest
 * answer. A run consists of calls whose size is not known, so every model can take it.
 */
const canTake = (
  settings: ListCostRule,
  task: TaskInput,
  classified: Classified
): ((card: ModelCard) => boolean) => {
  if (task.unit === "run") return () => true
  const input = inputTokens(settings, task, classified)
  return (card) => {
    const output = outputTokens(settings, task, classified, card)
    return input + output <= card.contextWindow && output <= (card.maxOutputTokens ?? Infinity)
  }
}

/** The models of a pool that can take the task; all of them, with a warning, where none can. */
export const withinCapacity = (
  settings: ListCostRule,
  pool: Pool,
  task: TaskInput,
  classified: Classified
): { readonly pool: Pool; readonly notes: ReadonlyArray<RecommendWarning> } => {
  const able = restricted(pool, canTake(settings, task, classified))
  return able.members.length > 0 || pool.members.length === 0
    ? { pool: able, notes: [] }
    : { pool, notes: ["no_model_within_capacity"] }
}
