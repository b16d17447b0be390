/* A task: its text, type, difficulty and cluster. */
import { Schema, SchemaTransformation } from "effect"
import { listOf } from "./text/Lists.ts"
import { FreeText, Identifier, scrub } from "./text/Text.ts"
import { cutBetween, textLimits } from "./text/TextLimits.ts"
import { Tokens } from "./Units.ts"
import { defaulted, described, nullable, wire } from "./wire/Wire.ts"

export const taskTypes = [
  "code", "summarization", "extraction", "qa", "reasoning", "classification", "translation", "creative",
  "rag", "tool_use", "other"
] as const
export const TaskType = Schema.Literals(taskTypes).annotate({
  identifier: "TaskType", description: "Kind of task."
})
export type TaskType = typeof TaskType.Type

export const difficulties = ["trivial", "easy", "medium", "hard", "expert"] as const
export const Difficulty = Schema.Literals(difficulties).annotate({
  identifier: "Difficulty", description: "Difficulty of a task."
})
export type Difficulty = typeof Difficulty.Type

export const units = ["call", "run"] as const
export const Unit = Schema.Literals(units).annotate({
  identifier: "Unit",
  description: "Unit of payment for a task: one `call` of a model, or a `run` of an agent. A run makes many "
    + "calls of a model and reads most of its input from the prompt cache."
})
export type Unit = typeof Unit.Type

/**
 * Task type and difficulty, such as `code:hard`. Runs have clusters such as `code:hard:run`, because their
 * costs and latencies differ.
 */
export const Cluster = Schema.Union([
  Schema.TemplateLiteral([TaskType, ":", Difficulty]),
  Schema.TemplateLiteral([TaskType, ":", Difficulty, ":run"])
])
export type Cluster = `${TaskType}:${Difficulty}${"" | ":run"}`
export const clusterOf = (taskType: TaskType, difficulty: Difficulty, unit: Unit): Cluster =>
  unit === "run" ? `${taskType}:${difficulty}:run` : `${taskType}:${difficulty}`
/** The clusters of calls, then of runs. Cluster numbers may change between versions, so none is stored. */
const clusters: ReadonlyArray<Cluster> = units.flatMap((unit) =>
  taskTypes.flatMap((taskType) => difficulties.map((difficulty) => clusterOf(taskType, difficulty, unit))))
const clusterNumbers: ReadonlyMap<Cluster, number> = new Map(clusters.map((cluster, i) => [cluster, i]))
/** The cluster's number in this process, for fast comparisons; -1 for a text that is no cluster. */
export const clusterNumberOf = (cluster: Cluster): number => clusterNumbers.get(cluster) ?? -1
export const unitOfNumber = (clusterNumber: number): Unit =>
  2 * clusterNumber < clusters.length ? "call" : "run"
export const taskTypeOf = (cluster: Cluster): TaskType => cluster.slice(0, cluster.indexOf(":")) as TaskType
export const difficultyOf = (cluster: Cluster): Difficulty => cluster.split(":")[1] as Difficulty
/** Task type and difficulty of each cluster; the index is the cluster's number. */
export const clusterParts: ReadonlyArray<{ readonly taskType: TaskType; readonly difficulty: Difficulty }> =
  clusters.map((cluster) => ({ taskType: taskTypeOf(cluster), difficulty: difficultyOf(cluster) }))
export const unitOf = (cluster: Cluster): Unit => cluster.endsWith(":run") ? "run" : "call"

export const TaskInput = wire({
  task: described(
    FreeText.check(Schema.isMinLength(1)),
    "The task or prompt, not empty. At most its first 3,000 and last 1,000 characters are kept."
  ),
  taskType: described(nullable(TaskType), "Kind of task; classified from the text when left out."),
  difficulty: described(nullable(Difficulty), "Difficulty; classified from the text when left out."),
  unit: described(
    defaulted(Unit, "call"),
    "Unit of payment: one `call`, or a `run` of an agent. Costs and latencies are per unit, and are learned "
      + "from the same unit."
  ),
  expectedInputTokens: described(
    nullable(Tokens),
    "Input tokens of the call or the whole run, for its estimated cost. Default: by task type, or the "
      + "default of runs."
  ),
  expectedOutputTokens: described(
    nullable(Tokens), "Output tokens of the call or the whole run, for its estimated cost."
  ),
  tags: described(
    defaulted(listOf(Identifier, { max: 64 }), []),
    "Environment of the task, such as `lang:python`. Outcomes with the same tags weigh more."
  )
}, { identifier: "TaskInput", description: "A task for which a model is wanted." })
export type TaskInput = typeof TaskInput.Type

/** The last excerpt, because one request makes the excerpt of the same text several times. */
let latest = { task: "", excerpt: "" }

/** Returns a task's first 3,000 and last 1,000 characters, where instructions usually stand. */
export const excerptOf = (task: string): string => {
  if (task.length <= textLimits.taskHead) return task
  if (latest.task !== task) {
    latest = { task, excerpt: cutBetween(task, textLimits.taskHead, "\n", textLimits.taskTail) }
  }
  return latest.excerpt
}

/** Returns the excerpt as a copy, because a substring would keep the whole long text in memory. */
export const ownExcerptOf = (task: string): string => {
  const excerpt = excerptOf(task)
  return excerpt.length === task.length ? task : Buffer.from(excerpt, "utf16le").toString("utf16le")
}

/** A task that is only embedded or stored, shortened by {@link excerptOf} when it is sent and received. */
export const TaskExcerpt = Schema.String.pipe(
  Schema.decodeTo(
    Schema.String,
    SchemaTransformation.transform({ decode: (task: string) => excerptOf(scrub(task)), encode: excerptOf })
  )
)
