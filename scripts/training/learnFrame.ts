/** Learns which sentences at the ends of a text are a frame around the request. */
import { frameBuckets, unitBuckets, unitsOf } from "../../src/engine/classifier/FrameModel.ts"
import { withoutMaterial } from "../../src/engine/classifier/Material.ts"
import { squeeze } from "../../src/engine/classifier/Normalise.ts"
import type { SentenceModel } from "../../src/engine/classifier/SentenceModel.ts"
import { generator } from "../../src/stats/Generator.ts"
import { type Example, sizesOf } from "./examples.ts"
import { fit, type Sentence } from "./fit.ts"
import { phrases, trainWrappers, type Wrapper } from "./wrappers.ts"

const epochs = 10
/** Sentences of requests weigh this much more in sum than those of frames: keeping is safer than cutting. */
const caution = 4
const deepest = 4

const nonEmpty = (text: string): ReadonlyArray<string> => unitsOf(text).filter((unit) => unit.trim() !== "")

const frameUnits = (
  wrappers: ReadonlyArray<Wrapper>,
  isUsed: (index: number) => boolean
): ReadonlyArray<Sentence> => {
  const used = <A>(list: ReadonlyArray<A>): ReadonlyArray<A> => list.filter((_, index) => isUsed(index))
  const halves = [...used(trainWrappers), ...wrappers.map((wrapped) => wrapped("{}"))]
    .filter((wrapper) => wrapper.includes("{}"))
    .map((wrapper) => wrapper.split("{}"))
  const { chatter, closers, closings, framesAfter, framesBefore, letterheads, openings, systems } = phrases
  const before = [...[framesBefore, systems, letterheads, openings, chatter].flatMap(used), ...halves.map(([half]) => half!)]
  const after = [...[framesAfter, closers, closings].flatMap(used), ...halves.map(([, half]) => half!)]
  const unitsAt = (texts: ReadonlyArray<string>, atEnd: boolean) =>
    texts.flatMap(nonEmpty).map((unit) => ({ buckets: unitBuckets(unit, atEnd), isOne: true, weight: 1 }))
  return [...unitsAt(before, false), ...unitsAt(after, true)]
}

/** The first and the last sentences of requests; a source counts by the root of its size. */
const requestUnits = (examples: ReadonlyArray<Example>): ReadonlyArray<Sentence> => {
  const sizes = sizesOf(examples)
  return examples.filter((_, index) => index % 3 === 0).flatMap(({ group, task }) => {
    const units = nonEmpty(withoutMaterial(squeeze(task)))
    const weight = sizes.get(group)! ** -0.5
    return [false, true].flatMap((atEnd) =>
      (atEnd ? units.slice(-deepest) : units.slice(0, deepest))
        .map((unit) => ({ buckets: unitBuckets(unit, atEnd), isOne: false, weight })))
  })
}

/**
 * Trains the model; the same examples give the same weights. It learns only those of our own frames whose index passes
 * `isUsed`.
 */
export const trainFrame = (
  examples: ReadonlyArray<Example>,
  wrappers: ReadonlyArray<Wrapper>,
  isUsed: (index: number) => boolean
): SentenceModel => {
  const frames = frameUnits(wrappers, isUsed)
  const requests = requestUnits(examples)
  const mass = requests.reduce((sum, { weight }) => sum + weight, 0)
  const units = [...requests, ...frames.map((unit) => ({ ...unit, weight: mass / frames.length / caution }))]
  return fit(units, frameBuckets, epochs, generator(3))
}
