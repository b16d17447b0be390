/** The trained model of frames (letterheads, house rules, courtesies), which removes them from a text. */
import { readFileSync } from "node:fs"
import { TextCodes } from "../../domain/text/TextCodes.ts"
import { fnvStep, offsetBasis } from "../../stats/Hash.ts"
import { Buckets, decode, type SentenceModel } from "./SentenceModel.ts"
import { addSentenceEnds, opensRequest, taskCharsMin } from "./Sentences.ts"
import { tokens } from "./Tokens.ts"

/** Number of hash buckets of the frame model. Log odds above 0 show that a sentence belongs to the frame. */
export const frameBuckets = 16_384

/** Maximum numbers of sentences that are judged at the two ends of a text. */
const headUnitsMax = 14
const tailUnitsMax = 8
const unitChars = 220
/** Bound of a sentence's log odds, so that no single sentence decides alone. */
const unitScoreMax = 3
/** Sum of log odds above which sentences are dropped, so that doubtful sentences stay in the text. */
const gainMin = 1

const seeds = { words: 0x21, start: 0x3f, end: 0x4d, shape: 0x63 }

const buckets = new Buckets(frameBuckets)

const bucketsOf = (unit: string, atEnd: boolean): Buckets => {
  const text = unit.trim().slice(0, unitChars)
  const { hashes, size } = tokens(text.toLowerCase())
  const side = atEnd ? seeds.end : seeds.start
  buckets.begin()
  for (let index = 0; index < size; index++) {
    const previous = index === 0 ? offsetBasis : hashes[index - 1]!
    buckets.add(fnvStep(hashes[index]!, seeds.words))
    buckets.add(fnvStep(hashes[index]!, side))
    buckets.add(fnvStep(fnvStep(previous, hashes[index]!), seeds.words + 1))
  }
  const last = text.charCodeAt(text.length - 1)
  // Each feature of the sentence's shape has its own range of numbers.
  addShape(Math.min(12, size), side)
  addShape(20 + Math.min(10, Math.floor(text.length / 20)), side)
  addShape(40 + (last === 63 ? 1 : last === 58 ? 2 : last === 46 ? 3 : 0), side)
  addShape(50 + Number(/\d/.test(text)), side)
  addShape(60 + Number(text.includes("|")), side)
  addShape(70 + Number(/^\p{Lu}/u.test(text)), side)
  return buckets
}

const addShape = (value: number, side: number): void => {
  const hash = fnvStep(offsetBasis, value)
  buckets.add(fnvStep(hash, seeds.shape))
  buckets.add(fnvStep(hash, side + 1))
}

export const unitBuckets = (unit: string, atEnd: boolean): ReadonlyArray<number> =>
  bucketsOf(unit, atEnd).list()

/** A line's beginning with a speaker or a label ("Visitor 14:03: "), judged as a separate sentence. */
const speaker = /^[^:\n.?!]{1,24}(?:\d:\d\d[^:\n.?!]{0,24})?:\s+(?=\S)/

const asksOrIntroduces = /[:?]\s*$/

const scoreOf = (unit: string, atEnd: boolean, weights: SentenceModel): number => {
  // A sentence such as "Condense to a tweet:" is a request, so it does not belong to the frame.
  if (asksOrIntroduces.test(unit.slice(-4)) && opensRequest(unit)) return -unitScoreMax
  return Math.max(-unitScoreMax, Math.min(unitScoreMax, bucketsOf(unit, atEnd).logOdds(weights)))
}

/** Indices at which a text's sentences end, in order. */
type Ends = ReadonlyArray<number>

const unitAt = (text: string, ends: Ends, index: number): string =>
  text.slice(index === 0 ? 0 : ends[index - 1]!, ends[index]!)

const reading = new TextCodes(8_192)

/** Adds the ends of a line's speaker and sentences. The line's last sentence includes the line break. */
const addEnds = (text: string, from: number, to: number, next: number, ends: Array<number>): void => {
  const line = text.slice(from, to)
  const name = line.includes(":") ? speaker.exec(line)?.[0].length ?? 0 : 0
  if (name > 0) ends.push(from + name)
  addSentenceEnds(reading.codes, from + name, to, ends)
  if (line === "") ends.push(next)
  else ends[ends.length - 1] = next
}

/**
 * Adds the sentence ends of whole lines until `ends` has more than `countMax` entries. Returns the index at
 * which the next line begins, or null at the end of the text.
 */
const addLines = (text: string, countMax: number, ends: Array<number>): number | null => {
  let start = 0
  while (ends.length <= countMax) {
    const feed = text.indexOf("\n", start)
    addEnds(text, start, feed < 0 ? text.length : feed, feed < 0 ? text.length : feed + 1, ends)
    if (feed < 0) return null
    start = feed + 1
  }
  return start
}

/** Returns sentences and lines with the white space after them, which together are the whole text. */
export const unitsOf = (text: string): ReadonlyArray<string> => {
  reading.read(text)
  const ends: Array<number> = []
  addLines(text, Infinity, ends)
  return ends.map((_, index) => unitAt(text, ends, index))
}

/** Returns the ends of the sentences in a text's head and tail. The text's middle counts as one sentence. */
const outerEndsOf = (text: string): Ends => {
  reading.read(text)
  const ends: Array<number> = []
  const from = addLines(text, headUnitsMax, ends)
  if (from === null) return ends
  const tail: Array<Ends> = []
  let next = text.length
  let to = text.length
  for (let count = 0; count <= tailUnitsMax;) {
    const start = text.lastIndexOf("\n", to - 1) + 1
    const line: Array<number> = []
    addEnds(text, start, to, next, line)
    tail.push(line)
    count += line.length
    next = start
    if (start === from) break
    to = start - 1
  }
  if (next > from) ends.push(next)
  return ends.concat(...tail.reverse())
}

/**
 * Returns how many sentences to drop, at most `count`, from `first` in direction `step`. Of all runs from
 * `first`, the dropped one has the highest sum of log odds. Returns 0 if no run's sum is above `gainMin`.
 */
const cutOf = (
  text: string,
  ends: Ends,
  [first, step, count]: readonly [first: number, step: 1 | -1, count: number],
  weights: SentenceModel
): number => {
  let sum = 0
  let best = gainMin
  let cut = 0
  for (let index = 0; index < count; index++) {
    const unit = unitAt(text, ends, first + step * index)
    if (unit.trim() === "") continue
    if (sum + unitScoreMax * (count - index) <= best) break
    sum += scoreOf(unit, step < 0, weights)
    if (sum > best) {
      best = sum
      cut = index + 1
    }
  }
  return cut
}

/** Returns the text without the sentences at both ends that the model takes for a frame. */
export const withoutFrame = (text: string, weights: SentenceModel): string => {
  const ends = outerEndsOf(text)
  const last = ends.length - 1
  if (last < 1) return text
  const start = cutOf(text, ends, [0, 1, Math.min(headUnitsMax, last)], weights)
  const end = cutOf(text, ends, [last, -1, Math.min(tailUnitsMax, last - start)], weights)
  const kept = text.slice(start === 0 ? 0 : ends[start - 1]!, ends[last - end]!).trim()
  return kept.length < taskCharsMin ? text : kept
}

export const frameModel =
  decode(readFileSync(new URL("./frame.bin", import.meta.url)), frameBuckets, "frame.bin")
