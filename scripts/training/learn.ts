/** Learns the linear model: multinomial logistic regression and a difficulty regression, both by AdaGrad. */
import { taskTypes } from "../../src/domain/Task.ts"
import { bucketCount, type Features, features, type Reader } from "../../src/engine/classifier/Features.ts"
import { columns, scores, type Weights } from "../../src/engine/classifier/Weights.ts"
import { generator } from "../../src/stats/Generator.ts"
import { tempered } from "../../src/stats/Softmax.ts"
import { shuffled } from "../bench/arena/random.ts"
import { hashOf } from "./compose.ts"
import { type Example, sizesOf, voices } from "./examples.ts"
import { trainFrame } from "./learnFrame.ts"
import { trainRequest } from "./learnRequest.ts"
import { dress, type Wrapper, wrappersOf } from "./wrappers.ts"

const epochs = 8
const learningRate = 0.12
const ridge = 2e-4
/** Share of the target that an also acceptable type gets. */
const alsoShare = 0.2
const sourcePower = -0.5
const classPower = -0.7
/** Half of what is learned comes from requests in a wrapper, one of these each time. */
const dressings = 6
/** People's own wordings are scarce beside what was put together from templates. */
const voiceWeight = 3
const difficultyRate = 0.05

/** Sources, writers with their wrappers, and intents are left out in so many groups. */
export const folds = 4

export interface Row { readonly example: Example; readonly plain: Features; readonly dressed: ReadonlyArray<Features>; readonly weight: number }

/** The rows to learn from, the fold of each example, and for each fold a reader that has not read it. */
export interface Material {
  readonly rows: ReadonlyArray<Row>
  readonly foldOf: (example: Example) => number
  readonly readers: ReadonlyArray<Reader>
}

/** A writer is left out whole, and so is a public source. */
const unitOf = ({ group }: Example): string => group.startsWith("voice-") ? group.split(":")[0]! : group

/** Sources are dealt by their first type, so that no fold has all of one; another seed deals otherwise. */
const dealt = (examples: ReadonlyArray<Example>, seed: string): ReadonlyMap<string, number> => {
  const units = new Map(examples.toReversed().map((example) => [unitOf(example), example]))
  const kindOf = ({ group, isLabel, type }: Example): number => isLabel ? type : group.startsWith("voice-") ? -1 : -2
  const order = [...units].toSorted(([a, first], [b, second]) =>
    kindOf(first) - kindOf(second) || hashOf(seed + a) - hashOf(seed + b))
  return new Map(order.map(([unit], index) => [unit, index % folds]))
}

/** The models that find the request in a text; the same for the same examples. */
export const trainReader = (
  examples: ReadonlyArray<Example>,
  wrappers: ReadonlyArray<Wrapper>,
  isUsed: (index: number) => boolean = () => true
): Reader => {
  const frame = trainFrame(examples, wrappers, isUsed)
  return { frame, request: trainRequest(examples, frame, wrappers, isUsed) }
}

/**
 * Each example as it is and in wrappers of its fold. In use a reader meets texts that it has not learned, so each text
 * is prepared by a reader that has not learned it.
 */
export const materialOf = (examples: ReadonlyArray<Example>, seed: string): Material => {
  const units = dealt(examples, seed)
  const foldOf = (example: Example): number => units.get(unitOf(example))!
  const wrappersWhere = (holds: (fold: number) => boolean) =>
    voices.filter((voice) => holds(units.get(`voice-${voice}`)!)).flatMap(wrappersOf)
  const readers = Array.from({ length: folds }, (_, fold) => trainReader(
    examples.filter((example) => foldOf(example) !== fold), wrappersWhere((other) => other !== fold),
    (place) => place % folds !== fold
  ))
  const wrappers = readers.map((_, fold) => wrappersWhere((other) => other === fold))
  const random = generator(11)
  const rows = examples.map((example): Row => {
    const fold = foldOf(example)
    const dressedOnce = () =>
      features(dress(example.task, random, wrappers[fold]!, (place) => place % folds === fold), readers[fold]!)
    return {
      example, plain: features(example.task, readers[fold]!), dressed: Array.from({ length: dressings }, dressedOnce), weight: 1
    }
  })
  return { rows, foldOf, readers }
}

/** The rows with weights of mean one, by which no source and no class dominates. */
export const weighted = (rows: ReadonlyArray<Row>): ReadonlyArray<Row> => {
  const groups = sizesOf(rows.map(({ example }) => example))
  const plain = rows.map(({ example: { group, weight } }) =>
    (group.startsWith("voice-") ? voiceWeight : 1) * weight * groups.get(group)! ** sourcePower)
  const mass = new Float64Array(taskTypes.length)
  rows.forEach(({ example }, index) => { mass[example.type]! += plain[index]! })
  const total = mass.reduce((sum, value) => sum + value, 0)
  const weights = rows.map(({ example }, index) => plain[index]! * ((mass[example.type]! / total) * taskTypes.length) ** classPower)
  const mean = weights.reduce((sum, weight) => sum + weight, 0) / rows.length
  return rows.map((row, index) => ({ ...row, weight: weights[index]! / mean }))
}

/** Dense weights, the difficulty regression in the last column. Deterministic. */
export const train = (rows: ReadonlyArray<Row>): Float32Array => {
  const classes = taskTypes.length
  const weights = new Float32Array(bucketCount * columns)
  const squares = new Float32Array(bucketCount * columns).fill(1e-8)
  const random = generator(7)
  let order: ReadonlyArray<number> = Array.from({ length: rows.length * 2 }, (_, index) => index)
  const logits = new Float64Array(columns)
  const gradient = new Float64Array(columns)
  for (let step = 0; step < order.length * epochs; step++) {
    if (step % order.length === 0) order = shuffled(order, random)
    const place = order[step % order.length]!
    const { dressed, example, plain, weight } = rows[place >> 1]!
    const epoch = Math.floor(step / order.length)
    const { buckets, size, values } = place % 2 === 0 ? plain : dressed[epoch % dressed.length]!
    const rate = learningRate * (1 - 0.8 * step / (order.length * epochs))
    logits.fill(0)
    for (let index = 0; index < size; index++) {
      const row = buckets[index]! * columns
      for (let column = 0; column < columns; column++) logits[column]! += values[index]! * weights[row + column]!
    }
    const distribution = tempered(logits, 1, classes)
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

/** int8 with one scale per column; the difficulty regression is centred on medium. */
export const quantise = (dense: Float32Array, temperature: number): Weights => {
  const highest = new Float32Array(columns)
  dense.forEach((value, index) => { highest[index % columns] = Math.max(highest[index % columns]!, Math.abs(value)) })
  const scales = highest.map((value) => value / 127 || 1)
  const biases = new Float32Array(columns)
  biases[columns - 1] = 2
  return { temperature, scales, biases, rows: Int8Array.from(dense, (value, index) => Math.round(value / scales[index % columns]!)) }
}

/** A model's logits for an example, and for the example in wrappers. */
export interface Judged {
  readonly example: Example
  readonly logits: Float64Array
  readonly wrapped: ReadonlyArray<Float64Array>
}
export const judge = (
  weights: Weights,
  reader: Reader,
  examples: ReadonlyArray<Example>,
  wrappers: ReadonlyArray<Wrapper>
): ReadonlyArray<Judged> =>
  examples.map((example, index) => ({
    example,
    logits: scores(weights, features(example.task, reader)),
    wrapped: index % 2 === 0
      ? [0, 4].map((offset) => scores(weights, features(wrappers[(index / 2 + offset) % wrappers.length]!(example.task), reader)))
      : []
  }))

/** The temperature on a grid with the least log loss. */
export const fitTemperature = (judged: ReadonlyArray<Judged>): number => {
  const lossAt = (temperature: number) =>
    judged.reduce((sum, { example, logits }) =>
      sum - Math.log(Math.max(1e-9, tempered(logits, temperature, taskTypes.length)[example.type]!)), 0)
  const grid = Array.from({ length: 40 }, (_, index) => 0.3 + 0.05 * index)
  return grid.toSorted((a, b) => lossAt(a) - lossAt(b))[0]!
}

