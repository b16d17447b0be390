/** Learns the linear model: multinomial logistic regression and a difficulty regression, both by AdaGrad. */
import { taskTypes } from "../../src/domain/Task.ts"
import { bucketCount, type Features, features, type Reader } from "../../src/engine/classifier/Features.ts"
import { columns, scores, softmax, type Weights } from "../../src/engine/classifier/Weights.ts"
import { generator } from "../../src/stats/Generator.ts"
import { hashOf } from "./compose.ts"
import type { Example } from "./examples.ts"
import { trainFrame } from "./learnFrame.ts"
import { trainRequest } from "./learnRequest.ts"
import { dress, type Wrapper } from "./wrappers.ts"

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
/** A reader meets texts that it has not learned, so it must not have learned those that it prepares here either. */
const readerFolds = 3
const difficultyRate = 0.05

export interface Row { readonly example: Example; readonly plain: Features; readonly dressed: ReadonlyArray<Features>; readonly weight: number }

const countBy = <A>(items: ReadonlyArray<A>, key: (item: A) => string | number): ReadonlyMap<string | number, number> => {
  const counts = new Map<string | number, number>()
  for (const item of items) counts.set(key(item), (counts.get(key(item)) ?? 0) + 1)
  return counts
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

/** Each example as it is and in wrappers, weighted so that no source and no class dominates. */
export const rowsOf = (
  examples: ReadonlyArray<Example>,
  wrappers: ReadonlyArray<Wrapper>
): ReadonlyArray<Row> => {
  const random = generator(11)
  const groups = countBy(examples, (example) => example.group)
  const plain = examples.map(({ group, weight }) =>
    (group.startsWith("voice-") ? voiceWeight : 1) * weight * groups.get(group)! ** sourcePower)
  const mass = new Float64Array(taskTypes.length)
  examples.forEach((example, index) => { mass[example.type]! += plain[index]! })
  const total = mass.reduce((sum, value) => sum + value, 0)
  const foldOf = (group: string): number => hashOf(group) % readerFolds
  const readers = Array.from({ length: readerFolds }, (_, fold) =>
    trainReader(
      examples.filter(({ group }) => foldOf(group) !== fold), wrappers, (place) => place % readerFolds !== fold
    ))
  const rows = examples.map((example, index): Row => {
    const fold = foldOf(example.group)
    const isUnread = (place: number) => place % readerFolds === fold
    const dressedOnce = () => features(dress(example.task, random, wrappers, isUnread), readers[fold]!)
    return {
      example,
      plain: features(example.task, readers[fold]!),
      dressed: Array.from({ length: dressings }, dressedOnce),
      weight: plain[index]! * ((mass[example.type]! / total) * taskTypes.length) ** classPower
    }
  })
  const mean = rows.reduce((sum, row) => sum + row.weight, 0) / rows.length
  return rows.map((row) => ({ ...row, weight: row.weight / mean }))
}
/** Dense weights, the difficulty regression in the last column. Deterministic. */
export const train = (rows: ReadonlyArray<Row>): Float32Array => {
  const classes = taskTypes.length
  const weights = new Float32Array(bucketCount * columns)
  const squares = new Float32Array(bucketCount * columns).fill(1e-8)
  const random = generator(7)
  const order = Array.from({ length: rows.length * 2 }, (_, index) => index)
  const logits = new Float64Array(columns)
  const gradient = new Float64Array(columns)
  for (let step = 0; step < order.length * epochs; step++) {
    if (step % order.length === 0) shuffle(order, random)
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
export const quantise = (dense: Float32Array, temperature: number): Weights => {
  const highest = new Float32Array(columns)
  dense.forEach((value, index) => { highest[index % columns] = Math.max(highest[index % columns]!, Math.abs(value)) })
  const scales = highest.map((value) => value / 127 || 1)
  const biases = new Float32Array(columns)
  biases[columns - 1] = 2
  return { temperature, scales, biases, rows: Int8Array.from(dense, (value, index) => Math.round(value / scales[index % columns]!)) }
}

/** What a model says of an example; `wrapped` is what it says of it in wrappers. */
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
      sum - Math.log(Math.max(1e-9, softmax(logits, taskTypes.length, temperature)[example.type]!)), 0)
  const grid = Array.from({ length: 40 }, (_, index) => 0.3 + 0.05 * index)
  return grid.toSorted((a, b) => lossAt(a) - lossAt(b))[0]!
}

