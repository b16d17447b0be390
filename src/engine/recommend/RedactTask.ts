/* What the ledger keeps of a task, by what the service and the account say. */
import { Effect } from "effect"
import { deadlineUninterrupted } from "../../resilience/Deadline.ts"
import type { Decision } from "../../domain/Decision.ts"
import type { AccountId } from "../../domain/Scope.ts"
import { taskTextOf } from "../../accounts/AccountSettings.ts"
import { Memory, MemoryUnavailable } from "../../memory/Memory.ts"
import { Settings } from "../Settings.ts"
import { span } from "../../telemetry/Tracing.ts"

/** What takes the place of a decision's own fields; nothing where the excerpt is kept. */
export type KeptTask = Partial<Pick<Decision, "taskExcerpt" | "taskVectors">>

/**
 * The task's vectors in place of its words where those are not to be kept, within the recall budget. Without
 * vectors the outcome still counts, and no similar task finds it.
 */
export const redactTask = Effect.fnUntraced(function*(
  accountId: AccountId,
  task: string
): Effect.fn.Return<KeptTask, never, Memory | Settings> {
  const { recallBudgetMs, taskText } = yield* Settings
  if ((yield* taskTextOf(accountId, taskText, recallBudgetMs)) === "excerpt") return {}
  const memory = yield* Memory
  const places = memory.placesOf?.(accountId, task) ?? Effect.succeed([])
  const taskVectors = yield* places.pipe(
    deadlineUninterrupted(recallBudgetMs, () => MemoryUnavailable.timedOut(recallBudgetMs)),
    Effect.catchTag("MemoryUnavailable", (error) =>
      Effect.as(Effect.logWarning("A task is kept without its vectors", error), []))
  )
  return { taskExcerpt: "", taskVectors }
}, span("keptTask"))
