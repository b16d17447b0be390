/**
 * Fits src/engine/classifier/difficulty.json. Usage: node_modules/.bin/node scripts/training/difficulty.ts <folder of
 * outcomes>. `bench:replay --without read-difficulty` measures its worth. Deterministic.
 *
 * The fit is difficulty = intercept + words + shape, logit. The weights of the shape are a ridge regression. Half of it
 * is on recorded outcomes: how much worse all models of a set did on a task than on the same source's tasks. Half is on
 * the levels that writers gave their requests. The words are added with the spread of the shape.
 */
import { writeFileSync } from "node:fs"
import { type DifficultyWeights, shapeNames, shapeOf } from "../../src/engine/classifier/Difficulty.ts"
import { features } from "../../src/engine/classifier/Features.ts"
import { squeeze } from "../../src/engine/classifier/Normalise.ts"
import { columns, scores } from "../../src/engine/classifier/Weights.ts"
import { mean } from "../bench/arena/averages.ts"
import { type Example, spoken, synthetic, voices } from "./examples.ts"
import { quantise, train } from "./learn.ts"
import { recordedTasks, type RecordedTask } from "./recorded.ts"
import { ridge, type Row, slope, spread } from "./regression.ts"

const ridgeStrength = 0.3
/** Spread of the difficulties by words over that by shape. */
const wordsShare = 1
const writerFolds = 4
/** Models that must have tried a task before its failures say something of the task. */
const modelsMin = 6

/** A request with the level that its writer gave it. */
interface Written {
  readonly level: number
  readonly shape: Float64Array
  /** Difficulty by its words, in [0, 4], from a model that has not read its writer. */
  readonly words: number
}

/** Difficulties of the writers' levels, from trivial to expert, logit. */
const levelLogits = [-1.3, -0.65, 0, 1, 1.8]
const logitOf = (level: number): number => levelLogits[level]!
const shapeOfTask = (task: string): Float64Array => shapeOf(squeeze(task))
const isLevelled = ({ difficulty }: Example): boolean => difficulty !== undefined && difficulty >= 0

/** Difficulties of some requests by their words, from a model that is trained on the others. */
const wordsOf = (read: ReadonlyArray<Example>, others: ReadonlyArray<Example>): ReadonlyArray<number> => {
  const rows = others.map((example) => {
    const plain = features(example.task)
    return { example, plain, dressed: [plain], weight: 1 }
  })
  const weights = quantise(train(rows), 1)
  return read.map(({ task }) => scores(weights, features(task))[columns - 1]!)
}

const writtenRequests = (): ReadonlyArray<Written> => {
  const composed = synthetic().filter(isLevelled)
  const byWriter = voices.map((voice) => spoken(voice).filter(isLevelled))
  return Array.from({ length: writerFolds }, (_, fold) => {
    const read = byWriter.filter((_, index) => index % writerFolds === fold)
    const others = byWriter.filter((_, index) => index % writerFolds !== fold)
    const words = wordsOf(read.flat(), [...composed, ...others.flat()])
    return read.flat().map(({ difficulty, task }, index): Written => ({
      level: difficulty!, shape: shapeOfTask(task), words: words[index]!
    }))
  }).flat()
}

/** Rows about their means over each group, each group weighing alike; `within` subtracts the means. */
const rowsOf = <A>(
  items: ReadonlyArray<A>,
  groupOf: (item: A) => string,
  of: (item: A) => readonly [shape: ArrayLike<number>, target: number]
): ReadonlyArray<Row> => {
  const groups = [...Map.groupBy(items, groupOf).values()]
  return groups.flatMap((members) => {
    const pairs = members.map(of)
    const middle = mean(pairs.map(([, target]) => target))
    const centre = shapeNames.map((_, index) => mean(pairs.map(([shape]) => shape[index]!)))
    return pairs.map(([shape, target]): Row => ({
      shape: centre.map((value, index) => shape[index]! - value), target: target - middle,
      weight: 1 / (groups.length * members.length)
    }))
  })
}

const fit = (tasks: ReadonlyArray<RecordedTask>, written: ReadonlyArray<Written>): DifficultyWeights => {
  const recorded = rowsOf(tasks.filter(({ models }) => models >= modelsMin), ({ group }) => group,
    ({ failureLogit, task }) => [shapeOfTask(task), failureLogit])
  // Writers differ in what they call hard, but each wrote of everything: the means are of all of them.
  const levels = rowsOf(written, () => "all", ({ level, shape }) => [shape, logitOf(level)])
  const shape = ridge([...recorded, ...levels], ridgeStrength)
  const ofShape = (values: ArrayLike<number>) => shape.reduce((sum, weight, index) => sum + weight * values[index]!, 0)
  const shapes = written.map((request) => ofShape(request.shape))
  const words = wordsShare * spread(shapes) / spread(written.map((request) => request.words))
  const both = written.map((request, index) => shapes[index]! + words * request.words)
  const targets = written.map(({ level }) => logitOf(level))
  const scale = slope(both, targets)
  return {
    intercept: mean(targets) - scale * mean(both), words: scale * words, shape: shape.map((weight) => scale * weight)
  }
}

const main = (folder: string): void => {
  const { intercept, shape, words } = fit(recordedTasks(folder), writtenRequests())
  const round = (value: number) => Math.round(value * 1e5) / 1e5
  const weights = { intercept: round(intercept), words: round(words), shape: shape.map(round) }
  writeFileSync(new URL("../../src/engine/classifier/difficulty.json", import.meta.url), `${JSON.stringify(weights, null, 2)}\n`)
}

const [folder] = process.argv.slice(2)
if (folder === undefined) throw new Error("usage: node scripts/training/difficulty.ts <folder of outcomes>")
main(folder)
