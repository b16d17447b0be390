/** Learns which sentences at the ends of a text are a frame around the request: logistic regression by AdaGrad. */
import { type FrameWeights, frameBuckets, unitBuckets, unitsOf } from "../../src/engine/classifier/Frame.ts"
import { squeeze } from "../../src/engine/classifier/Normalise.ts"
import type { Example } from "./examples.ts"
import { generator } from "./more.ts"
import { framesAfter, framesBefore } from "./frames.ts"
import { chatter, closers, letterheads, systems } from "./openings.ts"
import { closings, openings, trainWrappers, type Wrapper } from "./wrappers.ts"

const epochs = 10
const learningRate = 0.1
const ridge = 1e-4
/** Sentences of requests weigh this much more in sum than those of frames: keeping is safer than cutting. */
const caution = 1.5
const deepest = 4

interface Unit { readonly buckets: ReadonlyArray<number>; readonly isFrame: boolean; readonly weight: number }

const nonEmpty = (text: string): ReadonlyArray<string> => unitsOf(text).filter((unit) => unit.trim() !== "")

const frameUnits = (
  wrappers: ReadonlyArray<Wrapper>,
  isUsed: (index: number) => boolean
): ReadonlyArray<Unit> => {
  const used = <A>(list: ReadonlyArray<A>): ReadonlyArray<A> => list.filter((_, index) => isUsed(index))
  const halves = [...used(trainWrappers), ...used(wrappers).map((wrapped) => wrapped("{}"))]
    .filter((wrapper) => wrapper.includes("{}"))
    .map((wrapper) => wrapper.split("{}"))
  const before = [...[framesBefore, systems, letterheads, openings, chatter].flatMap(used), ...halves.map(([half]) => half!)]
  const after = [...[framesAfter, closers, closings].flatMap(used), ...halves.map(([, half]) => half!)]
  const unitsAt = (texts: ReadonlyArray<string>, atEnd: boolean) =>
    texts.flatMap(nonEmpty).map((unit) => ({ buckets: unitBuckets(unit, atEnd), isFrame: true, weight: 1 }))
  return [...unitsAt(before, false), ...unitsAt(after, true)]
}

/** The first and the last sentences of requests; a source counts by the root of its size. */
const requestUnits = (examples: ReadonlyArray<Example>): ReadonlyArray<Unit> => {
  const sizes = new Map<string, number>()
  for (const { group } of examples) sizes.set(group, (sizes.get(group) ?? 0) + 1)
  return examples.filter((_, index) => index % 3 === 0).flatMap(({ group, task }) => {
    const units = nonEmpty(squeeze(task))
    const weight = sizes.get(group)! ** -0.5
    return [false, true].flatMap((atEnd) =>
      (atEnd ? units.slice(-deepest) : units.slice(0, deepest))
        .map((unit) => ({ buckets: unitBuckets(unit, atEnd), isFrame: false, weight })))
  })
}

/** The same weights for the same examples; only frames whose place in their list `isUsed` are learned. */
export const trainFrame = (
  examples: ReadonlyArray<Example>,
  wrappers: ReadonlyArray<Wrapper>,
  isUsed: (index: number) => boolean
): FrameWeights => {
  const frames = frameUnits(wrappers, isUsed)
  const requests = requestUnits(examples)
  const mass = requests.reduce((sum, { weight }) => sum + weight, 0)
  const units = [...requests, ...frames.map((unit) => ({ ...unit, weight: mass / frames.length / caution }))]
  const mean = units.reduce((sum, { weight }) => sum + weight, 0) / units.length
  const weights = new Float32Array(frameBuckets)
  const squares = new Float32Array(frameBuckets).fill(1e-6)
  const random = generator(3)
  for (let step = 0; step < units.length * epochs; step++) {
    const { buckets, isFrame, weight } = units[Math.floor(random() * units.length)]!
    const score = buckets.reduce((sum, bucket) => sum + weights[bucket]!, 0)
    const gradient = Math.min(10, weight / mean) * (1 / (1 + Math.exp(-score)) - Number(isFrame))
    for (const bucket of buckets) {
      const slope = gradient + ridge * weights[bucket]!
      squares[bucket]! += slope * slope
      weights[bucket]! -= learningRate * slope / Math.sqrt(squares[bucket]!)
    }
  }
  const scale = weights.reduce((most, value) => Math.max(most, Math.abs(value)), 0) / 127
  return { scale, rows: Int8Array.from(weights, (value) => Math.round(value / scale)) }
}
