/** Stage: turns a task into vectors for the ledger if the task's text must not be stored. */
import { Effect } from "effect"
import type { AccountSetting } from "../../accounts/AccountSettings.ts"
import type { Decision } from "../../domain/Decision.ts"
import type { AccountId } from "../../domain/Scope.ts"
import { stricter } from "../../domain/text/TaskText.ts"
import { Memory, MemoryUnavailable } from "../../memory/Memory.ts"
import { deadline } from "../../resilience/Deadline.ts"
import { span } from "../../telemetry/Tracing.ts"
import { Settings } from "../Settings.ts"

/** Fields that replace the task's text in a decision; none if the text may be stored. */
type RedactedTask = Partial<Pick<Decision, "taskExcerpt" | "taskVectors">>

/** Without vectors, the outcome counts, but no similar task can recall it. */
export const withoutVectors: RedactedTask = { taskExcerpt: "", taskVectors: [] }

export const redactTask = Effect.fnUntraced(function*(
  accountId: AccountId,
  own: Pick<AccountSetting, "taskText">,
  task: string
): Effect.fn.Return<RedactedTask, MemoryUnavailable, Memory | Settings> {
  const { recallBudgetMs, taskText } = yield* Settings
  if (stricter(taskText, own.taskText) === "excerpt") return {}
  const memory = yield* Memory
  const taskVectors = yield* memory.prepare({ accountId, task }).pipe(
    deadline(recallBudgetMs, () => MemoryUnavailable.timedOut(recallBudgetMs))
  )
  return { taskExcerpt: "", taskVectors }
}, span("keptTask")) // The span keeps its earlier name: saved searches of traces use it.
