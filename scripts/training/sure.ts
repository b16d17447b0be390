/**
 * Prints how often the reader of sure difficulties fires, and how often wrongly, on recorded outcomes and on requests
 * whose writers said how hard they are. Usage: node_modules/.bin/node scripts/training/sure.ts <folder of outcomes>
 */
import { difficulties } from "../../src/domain/Task.ts"
import { squeeze } from "../../src/engine/classifier/Normalise.ts"
import { sureDifficulty } from "../../src/engine/classifier/SureDifficulty.ts"
import { fresh, spoken, voices } from "./examples.ts"
import { recordedTasks } from "./recorded.ts"
import { mean } from "./regression.ts"

const read = (task: string): number => {
  const level = sureDifficulty(task, squeeze(task))
  return level === null ? 0 : level === "trivial" ? 1 : 2
}
const percent = (share: number): string => `${(100 * share).toFixed(2)} %`
const success = (tasks: ReadonlyArray<{ readonly meanSuccess: number }>): string =>
  tasks.length === 0 ? "-" : mean(tasks.map(({ meanSuccess }) => meanSuccess)).toFixed(2)

const [folder] = process.argv.slice(2)
if (folder === undefined) throw new Error("usage: node scripts/training/sure.ts <folder of outcomes>")

console.log("set: tasks, mean success of all models; read as trivial, their success; as expert, theirs; wrongly of all")
const recorded = recordedTasks(folder, (task) => ({ shape: [], words: read(task) }))
for (const [set, tasks] of Map.groupBy(recorded, (task) => task.set)) {
  const [trivial, expert] = [1, 2].map((level) => tasks.filter(({ words }) => words === level))
  const wrong = trivial!.filter(({ meanSuccess }) => meanSuccess < 0.5).length
    + expert!.filter(({ meanSuccess }) => meanSuccess > 0.5).length
  console.log(`  ${set}: ${tasks.length}, ${success(tasks)}; ${trivial!.length}, ${success(trivial!)}; ${expert!.length}, ${
    success(expert!)}; ${percent(wrong / tasks.length)}`)
}
console.log("requests by the level that their writer gave them: how many, read as trivial, as expert")
const written = [...voices.flatMap(spoken), ...fresh()].map(({ difficulty, task }) => ({ difficulty, level: read(task) }))
difficulties.forEach((name, level) => {
  const own = written.filter(({ difficulty }) => difficulty === level)
  const share = (of: number) => percent(own.filter((each) => each.level === of).length / own.length)
  console.log(`  ${name}: ${own.length}, ${share(1)}, ${share(2)}`)
})
