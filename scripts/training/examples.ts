/** Everything that can be trained on: labels of public sets, which stay out of the repository, and our own. */
import { difficulties, type TaskType, taskTypes } from "../../src/domain/Task.ts"
import { jsonLines } from "../JsonLines.ts"
import { composed } from "./compose.ts"
import { listNames, rowsIn } from "./words.ts"

const weakWeight = 0.5

export interface Example {
  readonly task: string
  readonly type: number
  readonly also: ReadonlyArray<number>
  readonly difficulty: number | undefined
  readonly group: string
  readonly weight: number
  readonly isLabel: boolean
}
/** How many examples each group has. */
export const sizesOf = (examples: ReadonlyArray<Example>): ReadonlyMap<string, number> =>
  new Map([...Map.groupBy(examples, ({ group }) => group)].map(([group, own]) => [group, own.length]))

const indexOf = (type: string): number => {
  const index = taskTypes.indexOf(type as TaskType)
  if (index < 0) throw new Error(`unknown task type ${type}`)
  return index
}

/** Public sets for which another type is as fair as the label. We judged so, because their cards do not say. */
const alsoFair: ReadonlyArray<readonly [RegExp, ReadonlyArray<TaskType>]> = [
  [/gigaword_generate_summary/, ["creative"]], [/gigaword_write_an_article|generate_story/, ["summarization"]],
  [/quoref_Read_And_Extract/, ["rag", "qa"]], [/adversarial_qa|quoref_Answer|duorc_SelfRC_question_ans/, ["qa", "extraction"]],
  [/ropes/, ["qa", "reasoning"]], [/paraphrase|generate_question|Generate_the_question/, ["creative"]],
  [/openbook|mmlu|gpqa|counterfactual/, ["reasoning"]], [/fermi/, ["qa"]], [/vicuna_bench:writing/, ["other"]]
]
/** All templates and languages of a dataset stay together. */
const datasetOf = (source: string): string =>
  source.startsWith("t0:") ? source.slice(3).split("_")[0]! : source.split(":")[source.startsWith("llmrouter") ? 1 : 0]!

type Row = Readonly<Record<string, string>>

/** The public labels, a gzip file of one JSON value per line. */
export const labelled = (path: string): ReadonlyArray<Example> =>
  jsonLines<Row>(path).map((line) => ({
    task: line["task"]!, type: indexOf(line["task_type"]!), difficulty: undefined, isLabel: true,
    also: alsoFair.filter(([source]) => source.test(line["source"]!)).flatMap(([, types]) => types.map(indexOf)),
    group: `label:${datasetOf(line["source"]!)}`, weight: line["label_confidence"] === "weak" ? weakWeight : 1
  }))
export const ours = (): ReadonlyArray<Example> =>
  composed().map((line) => ({
    task: line.task, type: indexOf(line.type), also: line.also.map(indexOf), isLabel: false, weight: 1,
    difficulty: difficulties.indexOf(line.difficulty), group: `more:${line.intent}`
  }))

/** A writer, by the letter of the lists `voices-<letter>` and `wrappers-<letter>`. */
export type Voice = string
export const voices: ReadonlyArray<Voice> = listNames
  .flatMap((name) => /^voices-(\w+)$/.exec(name)?.[1] ?? []).toSorted()
// This field alone is a list, and it may be missing.
const alsoOf = (line: Row): ReadonlyArray<number> =>
  ((line["also_accept"] ?? []) as unknown as ReadonlyArray<string>).map(indexOf)
const written = (list: string, kind: string): ReadonlyArray<Example> =>
  rowsIn<Row>(list).map((line) => ({
    task: line["task"]!, type: indexOf(line["task_type"]!), isLabel: false, weight: 1, also: alsoOf(line),
    difficulty: difficulties.findIndex((level) => level === line["difficulty"]), group: `${kind}:${line["intent"]}`
  }))
export const synthetic = (): ReadonlyArray<Example> => written("synthetic", "intent")

/** The requests of one writer, so that a model can be judged by a writer whom it has never read. */
export const spoken = (voice: Voice): ReadonlyArray<Example> => written(`voices-${voice}`, `voice-${voice}`)

/** The independent requests. No model is trained on them, and only their figures are printed. */
export const fresh = (): ReadonlyArray<Example> => written("fresh", "fresh")
