/** The trained model of frames, and the text without the frame around its request. */
import { readFileSync } from "node:fs"
import { fnvStep, offsetBasis } from "../../stats/Hash.ts"
import { opensRequest } from "./Instruction.ts"
import { decode, distinctBuckets, type SentenceModel } from "./SentenceModel.ts"
import { sentencesOf, taskCharsMin } from "./Sentences.ts"
import { tokens } from "./Tokens.ts"

/**
 * Buckets of the model that tells a frame (letterheads, house rules, courtesies) from requests; log odds over
 * 0 mean that a sentence belongs to the frame.
 */
export const frameBuckets = 16_384

/** Sentences that are judged from the start and from the end, count; frames are seldom longer. */
const headUnitsMax = 14
const tailUnitsMax = 8
const unitChars = 220
/** Clip of one sentence's log odds: one sure sentence may not outvote several doubtful ones by more. */
const unitScoreMax = 3
/** Least sum of log odds for which sentences are dropped, so that doubtful ones stay. */
const gainMin = 1

const seeds = { words: 0x21, start: 0x3f, end: 0x4d, shape: 0x63 }

const begin = distinctBuckets(frameBuckets)

/** Calls `visit` with each distinct bucket of one sentence at the start or the end of a text. */
const eachBucket = (unit: string, atEnd: boolean, visit: (bucket: number) => void): void => {
  const text = unit.trim().slice(0, unitChars)
  const list = tokens(text.toLowerCase())
  const side = atEnd ? seeds.end : seeds.start
  const add = begin(visit)
  for (let index = 0; index < list.length; index++) {
    const pair = fnvStep(fnvStep(index === 0 ? offsetBasis : list[index - 1]!, list[index]!), seeds.words + 1)
    add(fnvStep(list[index]!, seeds.words))
    add(fnvStep(list[index]!, side))
    add(pair)
  }
  for (const value of shapeOf(text, list.length)) {
    add(fnvStep(fnvStep(offsetBasis, value), seeds.shape))
    add(fnvStep(fnvStep(offsetBasis, value), side + 1))
  }
}

/** Lengths, the last mark, digits, bars and a capital, each as a number of its own range. */
const shapeOf = (text: string, tokenCount: number): ReadonlyArray<number> => {
  const last = text.charCodeAt(text.length - 1)
  return [
    Math.min(12, tokenCount), 20 + Math.min(10, Math.floor(text.length / 20)),
    40 + (last === 63 ? 1 : last === 58 ? 2 : last === 46 ? 3 : 0),
    50 + Number(/\d/.test(text)), 60 + Number(text.includes("|")), 70 + Number(/^\p{Lu}/u.test(text))
  ]
}

/** The buckets of one sentence, for training. */
export const unitBuckets = (unit: string, atEnd: boolean): ReadonlyArray<number> => {
  const found: Array<number> = []
  eachBucket(unit, atEnd, (bucket) => { found.push(bucket) })
  return found
}

/** "Visitor 14:03: " or "Note: ", which is judged as a sentence of its own. */
const speaker = /^[^:\n.?!]{1,24}(?:\d:\d\d[^:\n.?!]{0,24})?:\s+(?=\S)/

/** Log odds that a sentence belongs to the frame, clipped. */
const scoreOf = (unit: string, atEnd: boolean, { rows, scale }: SentenceModel): number => {
  // "Condense to a tweet: ..." and "Which part ...?" are requests, neither speaker nor courtesy.
  if (/[:?]\s*$/.test(unit.slice(-4)) && opensRequest(unit)) return -unitScoreMax
  let sum = 0
  eachBucket(unit, atEnd, (bucket) => { sum += rows[bucket]! })
  return Math.max(-unitScoreMax, Math.min(unitScoreMax, sum * scale))
}

const unitsOfLine = (line: string, end: string): ReadonlyArray<string> => {
  const name = speaker.exec(line)?.[0] ?? ""
  const units = [...(name === "" ? [] : [name]), ...sentencesOf(line.slice(name.length))]
  return units.length === 0 ? [end] : [...units.slice(0, -1), units.at(-1)! + end]
}

/** Sentences and lines in their order, with the white space between them; joined they are the text again. */
export const unitsOf = (text: string): ReadonlyArray<string> =>
  text.split("\n").flatMap((line, index, lines) => unitsOfLine(line, index < lines.length - 1 ? "\n" : ""))

/** As {@link unitsOf}, but what lies too deep to be judged from either end is one unit. */
const outerUnitsOf = (text: string): ReadonlyArray<string> => {
  const lines = text.split("\n")
  const head: Array<string> = []
  const tail: Array<ReadonlyArray<string>> = []
  let from = 0
  let to = lines.length
  while (from < to && head.length <= headUnitsMax) {
    head.push(...unitsOfLine(lines[from]!, from < lines.length - 1 ? "\n" : ""))
    from++
  }
  for (let count = 0; from < to && count <= tailUnitsMax; to--) {
    const units = unitsOfLine(lines[to - 1]!, to < lines.length ? "\n" : "")
    tail.push(units)
    count += units.length
  }
  const middle = from < to ? [`${lines.slice(from, to).join("\n")}\n`] : []
  return [...head, ...middle, ...tail.reverse().flat()]
}

/** How many of `units` to drop from the front: the cut with the largest sum of scores. */
const cutOf = (units: ReadonlyArray<string>, atEnd: boolean, weights: SentenceModel): number => {
  let sum = 0
  let best = gainMin
  let cut = 0
  for (let index = 0; index < units.length; index++) {
    if (units[index]!.trim() === "") continue
    if (sum + unitScoreMax * (units.length - index) <= best) break
    sum += scoreOf(units[index]!, atEnd, weights)
    if (sum > best) {
      best = sum
      cut = index + 1
    }
  }
  return cut
}

/** The text without the sentences at either end that the model takes for a frame. */
export const withoutFrame = (text: string, weights: SentenceModel): string => {
  const units = outerUnitsOf(text)
  if (units.length < 2) return text
  const start = cutOf(units.slice(0, Math.min(headUnitsMax, units.length - 1)), false, weights)
  const rest = units.slice(start)
  const end = cutOf(rest.slice(Math.max(1, rest.length - tailUnitsMax)).toReversed(), true, weights)
  const kept = rest.slice(0, rest.length - end).join("").trim()
  return kept.length < taskCharsMin ? text : kept
}

/** Fails with a RangeError when the file has another size than this model. */
export const decodeFrame = (bytes: Uint8Array): SentenceModel => decode(bytes, frameBuckets, "frame.bin")

/** The committed model; read once, from beside this module in src and in dist. */
export const frameModel = decodeFrame(readFileSync(new URL("./frame.bin", import.meta.url)))
