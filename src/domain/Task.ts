/* A task: its text, type, difficulty and cluster. */
import { Schema, SchemaTransformation } from "effect"
import { listOf } from "./text/Lists.ts"
import { FreeText, Identifier, scrub } from "./text/Text.ts"
import { cutBetween, textLimits } from "./text/TextLimits.ts"
import { Tokens } from "./Units.ts"
import { defaulted, nullable, wire } from "./Wire.ts"

export const taskTypes = [
  "code", "summarization", "extraction", "qa", "reasoning", "classification", "translation", "creative",
  "rag", "tool_use", "other"
] as const
export const TaskType = Schema.Literals(taskTypes).annotate({ identifier: "TaskType" })
export type TaskType = typeof TaskType.Type

export const difficulties = ["trivial", "easy", "medium", "hard", "expert"] as const
export const Difficulty = Schema.Literals(difficulties).annotate({ identifier: "Difficulty" })
export type Difficulty = typeof Difficulty.Type

/** Task type and difficulty together, for example `code:hard`. */
export const Cluster = Schema.TemplateLiteral([TaskType, ":", Difficulty])
export type Cluster = `${TaskType}:${Difficulty}`
export const clusterOf = (taskType: TaskType, difficulty: Difficulty): Cluster => `${taskType}:${difficulty}`
/** The task type of a cluster, which holds no other colon. */
export const taskTypeOf = (cluster: Cluster): TaskType => cluster.slice(0, cluster.indexOf(":")) as TaskType

export const TaskInput = wire({
  task: FreeText.check(Schema.isMinLength(1)),
  taskType: nullable(TaskType),
  difficulty: nullable(Difficulty),
  expectedInputTokens: nullable(Tokens),
  expectedOutputTokens: nullable(Tokens),
  tags: defaulted(listOf(Identifier, { max: 64 }), [])
}).annotate({ identifier: "TaskInput" })
export type TaskInput = typeof TaskInput.Type

/** The kept part of a task: its first 3,000 and last 1,000 characters, where instructions usually are. */
export const excerptOf = (task: string): string =>
  cutBetween(task, textLimits.taskHead, "\n", textLimits.taskTail)

/** A task that is only embedded or kept: both ends of a connection cut it by {@link excerptOf}. */
export const TaskExcerpt = Schema.String.pipe(
  Schema.decodeTo(
    Schema.String,
    SchemaTransformation.transform({ decode: (task: string) => excerptOf(scrub(task)), encode: excerptOf })
  )
)
