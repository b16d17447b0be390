/** Recorded outcomes of many models on the same tasks, as evidence of how hard each task is. */
import { readdirSync } from "node:fs"
import { join } from "node:path"
import { logit } from "../../src/stats/Logit.ts"
import { mean } from "../bench/arena/averages.ts"
import { jsonLines } from "../JsonLines.ts"

/** A task with the outcomes of all models that tried it. */
export interface RecordedTask {
  readonly task: string
  /** Set and benchmark: its tasks were tried by the same models. */
  readonly group: string
  readonly models: number
  /** Logit of the mean failure, which is drawn towards the mean of the group. */
  readonly failureLogit: number
}

interface Line {
  readonly id: string
  readonly dataset: string
  readonly sub: string
  readonly prompt: string
  readonly models: Readonly<Record<string, { readonly quality: number }>>
}

/** Outcomes that the group's mean counts as. */
const pull = 2

/** Sets whose rows name their benchmark in their id, and where. */
const benchmarkOf = ({ dataset, id, sub }: Line): string => {
  const parts = id.split("/")
  const named = dataset === "zeroeval" || dataset === "routellm" || (dataset === "mixed12" && parts[0] === "zeroeval")
    ? parts[1]! : dataset === "mixed12" ? parts[0]! : dataset === "routerbench" ? sub.split(/[-:]/)[0]! : dataset
  return named === "gsm" ? "gsm8k" : named.startsWith("mmlu") ? "mmlu" : named
}

/** Every task of the `.jsonl.gz` files of a folder but its samples. */
export const recordedTasks = (folder: string): ReadonlyArray<RecordedTask> => {
  const lines = readdirSync(folder).filter((name) => name.endsWith(".jsonl.gz") && !name.startsWith("sample"))
    .toSorted().flatMap((name) => jsonLines<Line>(join(folder, name)))
  return [...Map.groupBy(lines, (line) => `${line.dataset}/${benchmarkOf(line)}`)].flatMap(([group, own]) => {
    const tried = own.map(({ models }) => Object.values(models).map(({ quality }) => quality))
    const middle = mean(tried.flat())
    return own.map((line, index): RecordedTask => {
      const outcomes = tried[index]!
      const success = outcomes.reduce((sum, quality) => sum + quality, 0)
      return {
        task: line.prompt, group, models: outcomes.length,
        failureLogit: -logit((success + pull * middle) / (outcomes.length + pull))
      }
    })
  })
}
