/** Stage: embeds a task whose text may not be kept, for the ledger. */
import { Effect } from "effect"
import type { AccountSetting } from "../../accounts/AccountSettings.ts"
import type { Decision } from "../../domain/Decision.ts"
import type { AccountId } from "../../domain/Scope.ts"
import { stricter } from "../../domain/text/TaskText.ts"
import { Memory, MemoryUnavailable } from "../../memory/Memory.ts"
import { deadline } from "../../resilience/Deadline.ts"
import { span } from "../../telemetry/Tracing.ts"
import { Settings } from "../Settings.ts"

/** The fields that replace a decision's own; none where the excerpt is kept. */
type RedactedTask = Partial<Pick<Decision, "taskExcerpt" | "taskVectors">>

/** A task kept without its text and without vectors: its outcome counts, and no similar task finds it. */
export const withoutVectors: RedactedTask = { taskExcerpt: "", taskVectors: [] }

/**
 * The task's vectors in place of its text where the service or the account does not keep texts. Fails past
 * the time limit of a recall.
 */
export const redactTask = Effect.fnUntraced(function*(
  accountId: AccountId,
  own: Pick<AccountSetting, "taskText">,
  task: string
): Effect.fn.Return<RedactedTask, MemoryUnavailable, Memory | Settings> {
  const { recallBudgetMs, taskText } = yield* Settings
  if (stricter(taskText, own.taskText) === "excerpt") return {}
  const memory = yield* Memory
  const taskVectors = yield* memory.taskVectorsOf(accountId, task).pipe(
    deadline(recallBudgetMs, () => MemoryUnavailable.timedOut(recallBudgetMs))
  )
  return { taskExcerpt: "", taskVectors }
}, span("keptTask")) // The span keeps its earlier name: saved searches of traces use it.
