/** Learns which sentences of a text ask for something: logistic regression by AdaGrad, on labels by sharing. */
import { type FrameWeights, withoutFrame } from "../../src/engine/classifier/Frame.ts"
import { mask, type ScoredUnit, scoredUnits } from "../../src/engine/classifier/Instruction.ts"
import { squeeze } from "../../src/engine/classifier/Normalise.ts"
import { eachRequestBucket, requestBuckets, type RequestWeights } from "../../src/engine/classifier/Request.ts"
import type { Example } from "./examples.ts"
import { generator } from "./more.ts"
import { dress, type Wrapper } from "./wrappers.ts"

const epochs = 6
const learningRate = 0.1
const ridge = 1e-4
/** A sentence so frequent within one source only is its template. */
const templateCount = 3

interface Unit { readonly buckets: ReadonlyArray<number>; readonly asks: boolean; readonly weight: number }
interface Use { readonly types: Set<number>; readonly groups: Set<string>; count: number }
type Split = ReadonlyArray<ScoredUnit>

const keyOf = (unit: string): string => unit.trim().toLowerCase()

const usesOf = (examples: ReadonlyArray<Example>, splits: ReadonlyArray<Split>): ReadonlyMap<string, Use> => {
  const uses = new Map<string, Use>()
  splits.forEach((units, place) => {
    const { group, type } = examples[place]!
    for (const { unit } of units) {
      const use = uses.get(keyOf(unit)) ?? { types: new Set(), groups: new Set(), count: 0 }
      use.types.add(type)
      use.groups.add(group)
      use.count++
      uses.set(keyOf(unit), use)
    }
  })
  return uses
}

/** Whether each sentence of an example asks, by how others use it: what is pasted stands under several types. */
const labelsOf = (
  keys: ReadonlyArray<string>,
  uses: ReadonlyMap<string, Use>
): ReadonlyArray<boolean | undefined> => {
  if (keys.length === 1) return [true]
  const shared = keys.map((key) => uses.get(key)!.types.size > 1)
  if (shared.every(Boolean)) return keys.map(() => undefined)
  if (shared.some(Boolean)) return shared.map((isShared) => !isShared)
  const template = keys.map((key) => uses.get(key)!.count >= templateCount && uses.get(key)!.groups.size === 1)
  return template.some(Boolean) && !template.every(Boolean) ? template : keys.map(() => undefined)
}

/** What is known of the sentences of one text; what a wrapper adds does not ask. */
const knownUnits = (
  split: Split,
  labels: ReadonlyMap<string, boolean | undefined>,
  weight: number,
  isDressed: boolean
): ReadonlyArray<Unit> => {
  const held = split.flatMap(({ traits, unit }) => {
    const key = keyOf(unit)
    const isAdded = isDressed && !labels.has(key) && ![...labels.keys()].some((other) => key.includes(other))
    const asks = isAdded ? false : labels.get(key)
    if (asks === undefined) return []
    const buckets: Array<number> = []
    eachRequestBucket(unit, traits, (bucket) => { buckets.push(bucket) })
    return [{ asks, buckets }]
  })
  const asking = held.filter(({ asks }) => asks).length
  return [true, false].flatMap((side) => held.filter(({ asks }) => asks === side)
    .map((unit) => ({ ...unit, weight: weight / Math.sqrt(side ? asking : held.length - asking) })))
}

/** The same weights for the same examples; only wrappers whose place in their list `isUsed` are learned. */
export const trainRequest = (
  examples: ReadonlyArray<Example>,
  frame: FrameWeights,
  wrappers: ReadonlyArray<Wrapper>,
  isUsed: (index: number) => boolean
): RequestWeights => {
  const random = generator(5)
  const split = (task: string): Split => scoredUnits(mask(withoutFrame(squeeze(task), frame)))
  const splits = examples.map((example) => split(example.task))
  const uses = usesOf(examples, splits)
  const sizes = new Map<string, number>()
  for (const { group } of examples) sizes.set(group, (sizes.get(group) ?? 0) + 1)
  const units = examples.flatMap(({ group, task }, place) => {
    const keys = splits[place]!.map(({ unit }) => keyOf(unit))
    const labels = labelsOf(keys, uses)
    const known = new Map(keys.map((key, index) => [key, labels[index]]))
    const weight = sizes.get(group)! ** -0.5
    const dressed = split(dress(task, random, wrappers, isUsed))
    return [...knownUnits(splits[place]!, known, weight, false), ...knownUnits(dressed, known, weight, true)]
  })
  return fit(units, random)
}

const fit = (units: ReadonlyArray<Unit>, random: () => number): RequestWeights => {
  const mean = units.reduce((sum, { weight }) => sum + weight, 0) / units.length
  const weights = new Float32Array(requestBuckets)
  const squares = new Float32Array(requestBuckets).fill(1e-6)
  for (let step = 0; step < units.length * epochs; step++) {
    const { asks, buckets, weight } = units[Math.floor(random() * units.length)]!
    const score = buckets.reduce((sum, bucket) => sum + weights[bucket]!, 0)
    const gradient = Math.min(10, weight / mean) * (1 / (1 + Math.exp(-score)) - Number(asks))
    for (const bucket of buckets) {
      const slope = gradient + ridge * weights[bucket]!
      squares[bucket]! += slope * slope
      weights[bucket]! -= learningRate * slope / Math.sqrt(squares[bucket]!)
    }
  }
  const scale = weights.reduce((most, value) => Math.max(most, Math.abs(value)), 0) / 127
  return { scale, rows: Int8Array.from(weights, (value) => Math.round(value / scale)) }
}
