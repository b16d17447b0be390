/** Learns which sentences of a text ask for something, on labels by sharing. */
import { withoutFrame } from "../../src/engine/classifier/FrameModel.ts"
import { requestBuckets, requestBucketsOf, scoredUnits } from "../../src/engine/classifier/Instruction.ts"
import { withoutMaterial } from "../../src/engine/classifier/Material.ts"
import { squeeze } from "../../src/engine/classifier/Normalise.ts"
import type { SentenceModel } from "../../src/engine/classifier/SentenceModel.ts"
import { generator } from "../../src/stats/Generator.ts"
import { type Example, sizesOf } from "./examples.ts"
import { fit, type Sentence } from "./fit.ts"
import { dress, type Wrapper } from "./wrappers.ts"

const epochs = 6
/** A sentence so frequent within one source only is its template. */
const templateCount = 3

interface Use { readonly types: Set<number>; readonly groups: Set<string>; count: number }
type Split = ReturnType<typeof scoredUnits>

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

/** For each sentence true if it asks, and undefined if unknown. Pasted sentences appear under several types. */
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

/** The sentences of one text whose label is known. Sentences that a wrapper adds do not ask. */
const knownUnits = (
  split: Split,
  labels: ReadonlyMap<string, boolean | undefined>,
  weight: number,
  isDressed: boolean
): ReadonlyArray<Sentence> => {
  const held = split.flatMap(({ traits, unit }) => {
    const key = keyOf(unit)
    const isAdded = isDressed && !labels.has(key) && ![...labels.keys()].some((other) => key.includes(other))
    const asks = isAdded ? false : labels.get(key)
    if (asks === undefined) return []
    return [{ buckets: requestBucketsOf(unit, traits).list(), isOne: asks }]
  })
  const asking = held.filter(({ isOne }) => isOne).length
  return [true, false].flatMap((side) => held.filter(({ isOne }) => isOne === side)
    .map((unit) => ({ ...unit, weight: weight / Math.sqrt(side ? asking : held.length - asking) })))
}

/**
 * Trains the model; the same examples give the same weights. It learns only those of our own wrappers whose index
 * passes `isUsed`.
 */
export const trainRequest = (
  examples: ReadonlyArray<Example>,
  frame: SentenceModel,
  wrappers: ReadonlyArray<Wrapper>,
  isUsed: (index: number) => boolean
): SentenceModel => {
  const random = generator(5)
  const split = (task: string): Split => scoredUnits(withoutFrame(withoutMaterial(squeeze(task)), frame))
  const splits = examples.map((example) => split(example.task))
  const uses = usesOf(examples, splits)
  const sizes = sizesOf(examples)
  const units = examples.flatMap(({ group, task }, place) => {
    const keys = splits[place]!.map(({ unit }) => keyOf(unit))
    const labels = labelsOf(keys, uses)
    const known = new Map(keys.map((key, index) => [key, labels[index]]))
    const weight = sizes.get(group)! ** -0.5
    const dressed = split(dress(task, random, wrappers, isUsed))
    return [...knownUnits(splits[place]!, known, weight, false), ...knownUnits(dressed, known, weight, true)]
  })
  return fit(units, requestBuckets, epochs, random)
}
