/**
 * Fits src/engine/classifier/difficulty.json and prints what it is worth on sets and writers left out.
 * Usage: node_modules/.bin/node scripts/training/difficulty.ts <folder of outcomes> [--measure]
 * Run it after `classifier.ts`, whose last column says what the words of a task tell of its difficulty.
 * Deterministic. Without the flag the file is written; with it, only figures are printed.
 *
 * What is fitted: difficulty = intercept + words + shape, logit. The weights of the shape are a ridge regression, half
 * on recorded outcomes (how much worse all models of a set did on a task than on the tasks of the same source) and half
 * on the levels that writers gave their requests. The words are added with the spread of the shape.
 */
import { writeFileSync } from "node:fs"
import { classify } from "../../src/engine/classifier/Classifier.ts"
import { type DifficultyWeights, line } from "../../src/engine/classifier/DifficultyModel.ts"
import { features } from "../../src/engine/classifier/Features.ts"
import { squeeze } from "../../src/engine/classifier/Normalise.ts"
import { shapeNames, shapeOf } from "../../src/engine/classifier/Shape.ts"
import { columns, scores } from "../../src/engine/classifier/Weights.ts"
import { type Example, fresh, spoken, synthetic, voices } from "./examples.ts"
import { quantise, train } from "./learn.ts"
import { recordedTasks, type RecordedTask, sourcesOf } from "./recorded.ts"
import { mean, rankCorrelation, ridge, slope, spread } from "./regression.ts"

const ridgeStrength = 0.3
/** Spread of what the words say beside that of what the shape says. */
const wordsShare = 1
const writerFolds = 4
/** Models that must have tried a task before its failures say something of the task. */
const modelsMin = 6

/** A request with the level that its writer gave it. */
interface Written {
  readonly writer: string
  readonly level: number
  readonly shape: Float64Array
  /** What its words say, by a model that has not read its writer, in [0, 4]. */
  readonly words: number
}

/** What writers' levels are fitted as, from trivial to expert, logit. */
const levelLogits = [-1.3, -0.65, 0, 1, 1.8]
const logitOf = (level: number): number => levelLogits[level]!
const shapeOfTask = (task: string): Float64Array => shapeOf(squeeze(task))
const isLevelled = ({ difficulty }: Example): boolean => difficulty !== undefined && difficulty >= 0

/** What the words of some requests say, by a model of the others. */
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
    return read.flat().map(({ difficulty, group, task }, index): Written => ({
      writer: group.split(":")[0]!, level: difficulty!, shape: shapeOfTask(task), words: words[index]!
    }))
  }).flat()
}

interface Row { readonly shape: ArrayLike<number>; readonly target: number; readonly weight: number }

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
    ({ failureLogit, shape }) => [shape, failureLogit])
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

const figure = (value: number): string => value.toFixed(2)

/** Each set judged by weights that saw none of its sources, in another set either. */
const leaveSetsOut = (tasks: ReadonlyArray<RecordedTask>, written: ReadonlyArray<Written>): void => {
  console.log("set left out: rank correlation with mean failure of all models; by the words alone; slope within sources")
  const all = [...Map.groupBy(tasks, ({ set }) => set)].map(([set, own]) => {
    const sources = sourcesOf(own)
    const weights = fit(tasks.filter(({ source }) => !sources.has(source)), written)
    const read = own.map(({ shape, words }) => line(weights, words, shape))
    const failures = own.map(({ meanSuccess }) => -meanSuccess)
    const within = [...Map.groupBy(own.map((task, index) => ({ task, read: read[index]! })), ({ task }) => task.group)
      .values()].filter((members) => spread(members.map((member) => member.read)) > 0)
    const slopes = within.map((members) =>
      slope(members.map((member) => member.read), members.map(({ task }) => task.failureLogit)))
    const figures = [
      rankCorrelation(read, failures), rankCorrelation(own.map(({ words }) => words), failures), mean(slopes),
      mean(within.map((members) => rankCorrelation(
        members.map((member) => member.read), members.map(({ task }) => -task.meanSuccess))))
    ] as const
    console.log(`  ${set} (${own.length}): ${figures.map(figure).join(", ")}`)
    return figures
  })
  console.log(`  mean: ${[0, 1, 2, 3].map((index) => figure(mean(all.map((row) => row[index]!)))).join(", ")}`)
}

const levelFigures = (title: string, weights: DifficultyWeights, requests: ReadonlyArray<Written>): void => {
  const levels = requests.map(({ level }) => level)
  const read = requests.map(({ shape, words }) => line(weights, words, shape))
  console.log(`  ${title} (${requests.length}): rank correlation ${figure(rankCorrelation(read, levels))}, of the words alone ${
    figure(rankCorrelation(requests.map(({ words }) => words), levels))}`)
}

/** The independent requests, whose words the committed classifier reads: it never learned them. */
const independent = (): ReadonlyArray<Written> =>
  fresh().filter(isLevelled).map(({ difficulty, task }) => ({
    writer: "fresh", level: difficulty!, shape: shapeOfTask(task), words: classify(task).difficultyWords
  }))

const leaveWritersOut = (tasks: ReadonlyArray<RecordedTask>, written: ReadonlyArray<Written>): void => {
  console.log("writer left out: levels")
  for (const [writer, own] of Map.groupBy(written, (request) => request.writer)) {
    levelFigures(writer, fit(tasks, written.filter((request) => request.writer !== writer)), own)
  }
  levelFigures("fresh", fit(tasks, written), independent())
}

const main = (folder: string, isMeasured: boolean): void => {
  const tasks = recordedTasks(folder, (task) => ({ shape: shapeOfTask(task), words: classify(task).difficultyWords }))
  const written = writtenRequests()
  if (isMeasured) {
    leaveSetsOut(tasks, written)
    leaveWritersOut(tasks, written)
    return
  }
  const { intercept, shape, words } = fit(tasks, written)
  const round = (value: number) => Math.round(value * 1e5) / 1e5
  const weights = { intercept: round(intercept), words: round(words), shape: shape.map(round) }
  writeFileSync(new URL("../../src/engine/classifier/difficulty.json", import.meta.url), `${JSON.stringify(weights, null, 2)}\n`)
}

const [folder, flag] = process.argv.slice(2)
if (folder === undefined || (flag !== undefined && flag !== "--measure")) {
  throw new Error("usage: node scripts/training/difficulty.ts <folder of outcomes> [--measure]")
}
main(folder, flag === "--measure")
