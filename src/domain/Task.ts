import { Schema } from "effect"
import { FreeText, Identifier } from "./Text.ts"
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
  tags: defaulted(Schema.Array(Identifier).check(Schema.isMaxLength(64)), [])
}).annotate({ identifier: "TaskInput" })
export type TaskInput = typeof TaskInput.Type

const excerptHead = 3_000
const excerptTail = 1_000

/** What is kept of a task: its first 3,000 and last 1,000 characters, where instructions stand. */
export const excerptOf = (task: string): string =>
  task.length <= excerptHead + excerptTail
    ? task
    : `${task.slice(0, excerptHead)}\n${task.slice(-excerptTail)}`.toWellFormed()
