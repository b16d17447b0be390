/**
 * Trains src/engine/classifier/weights.bin and prints honest figures.
 * Usage: node scripts/train-classifier.ts path/to/task_labels.jsonl.gz [--measure]
 * Deterministic: fixed seeds, no clock. `--measure` leaves the file alone.
 */
import { readFileSync, writeFileSync } from "node:fs"
import { gunzipSync } from "node:zlib"
import { difficulties, type TaskType, taskTypes } from "../src/domain/Task.ts"
import { bucketCount, type Features, features } from "../src/engine/classifier/Features.ts"
import { columns, encode, scores, softmax, type Weights } from "../src/engine/classifier/Weights.ts"
import { more } from "./classify-data/more.ts"
import { dress, unseenWrappers, wrap } from "./classify-data/wrappers.ts"
import { rate, report } from "./classify-data/figures.ts"

const epochs = 3
const learningRate = 0.3
const ridge = 4e-4
const folds = 5
/** Every seventh intent is never trained on, in the final model neither. */
const holdOutEvery = 7
/** Share of the target that an also acceptable type gets. */
const alsoShare = 0.2
const weakWeight = 0.5
const sourcePower = -0.5
const classPower = -0.7
/** Half of what is learned comes from requests in a wrapper. */
const plainShare = 0.5
const difficultyRate = 0.05

export interface Example {
  readonly task: string
  readonly type: number
  readonly also: ReadonlyArray<number>
  readonly difficulty: number | undefined
  readonly group: string
  readonly weight: number
  readonly isLabel: boolean
}
interface Row { readonly example: Example; readonly features: Features; readonly weight: number }

const indexOf = (type: string): number => {
  const index = taskTypes.indexOf(type as TaskType)
  if (index < 0) throw new Error(`unknown task type ${type}`)
  return index
}

/** Where a public set's label and another type are both fair; ours to judge, as its card says nothing. */
const alsoFair: ReadonlyArray<readonly [RegExp, ReadonlyArray<TaskType>]> = [
  [/gigaword_generate_summary/, ["creative"]], [/gigaword_write_an_article|generate_story/, ["summarization"]],
  [/quoref_Read_And_Extract/, ["rag", "qa"]], [/adversarial_qa|quoref_Answer|duorc_SelfRC_question_ans/, ["qa", "extraction"]],
  [/ropes/, ["qa", "reasoning"]], [/paraphrase|generate_question|Generate_the_question/, ["creative"]],
  [/openbook|mmlu|gpqa|counterfactual/, ["reasoning"]], [/fermi/, ["qa"]], [/vicuna_bench:writing/, ["other"]]
]
/** A dataset's templates and languages stay together. */
const datasetOf = (source: string): string =>
  source.startsWith("t0:")
    ? source.slice(3).split("_").slice(0, source.includes("duorc") || source.includes("gigaword") ? 3 : 2).join("_").toLowerCase()
    : source.split(":")[source.startsWith("llmrouter") ? 1 : 0]!

const linesOf = (text: string): ReadonlyArray<Record<string, string>> =>
  text.split("\n").filter((line) => line !== "").map((line) => JSON.parse(line))

const labelled = (path: string): ReadonlyArray<Example> =>
  linesOf(gunzipSync(readFileSync(path)).toString()).map((line) => ({
    task: line["task"]!, type: indexOf(line["task_type"]!), difficulty: undefined, isLabel: true,
    also: alsoFair.filter(([source]) => source.test(line["source"]!)).flatMap(([, types]) => types.map(indexOf)),
    group: `label:${datasetOf(line["source"]!)}`, weight: line["label_confidence"] === "weak" ? weakWeight : 1
  }))
const synthetic = (): ReadonlyArray<Example> =>
  linesOf(readFileSync(new URL("classify-data/synthetic.jsonl", import.meta.url), "utf8")).map((line) => ({
    task: line["task"]!, type: indexOf(line["task_type"]!), also: [], isLabel: false, weight: 1,
    difficulty: difficulties.findIndex((level) => level === line["difficulty"]), group: `intent:${line["intent"]}`
  }))
const ours = (): ReadonlyArray<Example> =>
  more().map((line) => ({
    task: line.task, type: indexOf(line.type), also: line.also.map(indexOf), isLabel: false, weight: 1,
    difficulty: difficulties.indexOf(line.difficulty), group: `more:${line.intent}`
  }))

/** A small seeded generator (mulberry32) in [0, 1). */
const generator = (seed: number) => () => {
  seed = (seed + 0x6d2b79f5) | 0
  let mixed = Math.imul(seed ^ (seed >>> 15), 1 | seed)
  mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
  return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
}

const countBy = <A>(items: ReadonlyArray<A>, key: (item: A) => string | number): ReadonlyMap<string | number, number> => {
  const counts = new Map<string | number, number>()
  for (const item of items) counts.set(key(item), (counts.get(key(item)) ?? 0) + 1)
  return counts
}

/** Each example as it is and once in a wrapper, weighted so that no source and no class dominates. */
const rowsOf = (examples: ReadonlyArray<Example>): ReadonlyArray<Row> => {
  const random = generator(11)
  const groups = countBy(examples, (example) => example.group)
  const plain = examples.map((example) => example.weight * groups.get(example.group)! ** sourcePower)
  const mass = new Float64Array(taskTypes.length)
  examples.forEach((example, index) => { mass[example.type]! += plain[index]! })
  const total = mass.reduce((sum, value) => sum + value, 0)
  const rows = examples.flatMap((example, index): ReadonlyArray<Row> => {
    const weight = plain[index]! * ((mass[example.type]! / total) * taskTypes.length) ** classPower
    const dressed = () => compact(features(dress(example.task, random)))
    return [
      { example, features: compact(features(example.task)), weight: weight * plainShare },
      { example, features: dressed(), weight: weight * (1 - plainShare) / 2 },
      { example, features: dressed(), weight: weight * (1 - plainShare) / 2 }
    ]
  })
  const mean = rows.reduce((sum, row) => sum + row.weight, 0) / rows.length
  return rows.map((row) => ({ ...row, weight: row.weight / mean }))
}
const compact = ({ size, buckets, values }: Features): Features =>
  ({ size, buckets: buckets.slice(0, size), values: values.slice(0, size) })

/** Multinomial logistic regression and a difficulty regression in the last column, both by AdaGrad. */
const train = (rows: ReadonlyArray<Row>): Float32Array => {
  const classes = taskTypes.length
  const weights = new Float32Array(bucketCount * columns)
  const squares = new Float32Array(bucketCount * columns).fill(1e-8)
  const random = generator(7)
  const order = rows.map((_, index) => index)
  const logits = new Float64Array(columns)
  const gradient = new Float64Array(columns)
  for (let step = 0; step < rows.length * epochs; step++) {
    if (step % rows.length === 0) shuffle(order, random)
    const { example, features: { size, buckets, values }, weight } = rows[order[step % rows.length]!]!
    const rate = learningRate * (1 - 0.8 * step / (rows.length * epochs))
    logits.fill(0)
    for (let index = 0; index < size; index++) {
      const row = buckets[index]! * columns
      for (let column = 0; column < columns; column++) logits[column]! += values[index]! * weights[row + column]!
    }
    const distribution = softmax(logits, classes, 1)
    const kept = example.also.length === 0 ? 1 : 1 - alsoShare
    for (let column = 0; column < classes; column++) {
      const target = column === example.type ? kept : example.also.includes(column) ? alsoShare / example.also.length : 0
      gradient[column] = weight * (distribution[column]! - target)
    }
    const known = example.difficulty !== undefined
    gradient[classes] = known ? weight * 0.3 * (logits[classes]! + 2 - example.difficulty) : 0
    for (let index = 0; index < size; index++) {
      const row = buckets[index]! * columns
      for (let column = 0; column < columns; column++) {
        if (column === classes && !known) continue
        const slope = gradient[column]! * values[index]! + ridge * weights[row + column]!
        squares[row + column]! += slope * slope
        const pace = column === classes ? difficultyRate : rate
        weights[row + column]! -= pace * slope / Math.sqrt(squares[row + column]!)
      }
    }
  }
  return weights
}
const shuffle = (list: Array<number>, random: () => number): void => {
  for (let index = list.length - 1; index > 0; index--) {
    const other = Math.floor(random() * (index + 1))
    const value = list[index]!
    list[index] = list[other]!
    list[other] = value
  }
}

/** int8 with one scale per column; the difficulty regression is centred on medium. */
const quantise = (dense: Float32Array, temperature: number): Weights => {
  const highest = new Float32Array(columns)
  dense.forEach((value, index) => { highest[index % columns] = Math.max(highest[index % columns]!, Math.abs(value)) })
  const scales = highest.map((value) => value / 127 || 1)
  const biases = new Float32Array(columns)
  biases[columns - 1] = 2
  return { temperature, scales, biases, rows: Int8Array.from(dense, (value, index) => Math.round(value / scales[index % columns]!)) }
}

const hashOf = (text: string): number => {
  let hash = 0x811c9dc5
  for (const character of text) hash = Math.imul(hash ^ character.codePointAt(0)!, 0x01000193)
  return (hash ^ (hash >>> 15)) >>> 0
}

/** What a model says of an example; `wrapped` is what it says of it in each unseen wrapper. */
export interface Judged {
  readonly example: Example
  readonly logits: Float64Array
  readonly wrapped: ReadonlyArray<Float64Array>
}
const judge = (weights: Weights, examples: ReadonlyArray<Example>): ReadonlyArray<Judged> =>
  examples.map((example, index) => ({
    example,
    logits: scores(weights, features(example.task)),
    wrapped: index % 3 === 0
      ? [0, 4].map((offset) =>
        scores(weights, features(wrap(unseenWrappers[(index / 3 + offset) % unseenWrappers.length]!, example.task))))
      : []
  }))

/** The temperature on a grid with the least log loss. */
const fitTemperature = (judged: ReadonlyArray<Judged>): number => {
  const lossAt = (temperature: number) =>
    judged.reduce((sum, { example, logits }) =>
      sum - Math.log(Math.max(1e-9, softmax(logits, taskTypes.length, temperature)[example.type]!)), 0)
  const grid = Array.from({ length: 40 }, (_, index) => 0.3 + 0.05 * index)
  return grid.toSorted((a, b) => lossAt(a) - lossAt(b))[0]!
}

const main = (path: string, measureOnly: boolean): void => {
  const all = [...labelled(path), ...synthetic(), ...ours()]
  const intents = [...new Set(all.filter((example) => !example.isLabel).map((example) => example.group))]
    .toSorted((a, b) => hashOf(a) - hashOf(b))
  const heldOut = new Set(intents.filter((_, index) => index % holdOutEvery === 0))
  const kept = all.filter((example) => !heldOut.has(example.group))
  const rows = rowsOf(kept)
  console.log(`${kept.length} examples, ${intents.length - heldOut.size} intents, ${heldOut.size} intents held out`)
  const groups = [...new Set(kept.map((example) => example.group))].toSorted((a, b) => hashOf(a) - hashOf(b))
  const foldOf = new Map(groups.map((group, index) => [group, index % folds]))
  const outOfFold = Array.from({ length: folds }, (_, fold) => {
    const weights = quantise(train(rows.filter((row) => foldOf.get(row.example.group) !== fold)), 1)
    return judge(weights, kept.filter((example) => foldOf.get(example.group) === fold))
  }).flat()
  const temperature = fitTemperature(outOfFold)
  console.log(`temperature ${temperature.toFixed(2)}`)
  report("labels, dataset left out", outOfFold.filter(({ example }) => example.isLabel), temperature)
  report("ours, intent left out", outOfFold.filter(({ example }) => !example.isLabel), temperature)
  const final = quantise(train(rows), temperature)
  const test = judge(final, all.filter((example) => heldOut.has(example.group)))
  report("final model, intents never trained on", test, temperature)
  const seen = judge(final, kept)
  console.log(`training accuracy ${rate(seen, ({ example, logits }) => logits.slice(0, -1).indexOf(Math.max(...logits.slice(0, -1))) === example.type).toFixed(3)}`)
  if (!measureOnly) writeFileSync(new URL("../src/engine/classifier/weights.bin", import.meta.url), encode(final))
}

const [path, flag] = process.argv.slice(2)
if (path === undefined) throw new Error("usage: node scripts/train-classifier.ts task_labels.jsonl.gz [--measure]")
main(path, flag === "--measure")
