/** Locates the request in a text: scores each sentence by rules and by a trained model. */
import { readFileSync } from "node:fs"
import type { TextCodes } from "../../domain/text/TextCodes.ts"
import { fnvStep, offsetBasis } from "../../stats/Hash.ts"
import { questionStart } from "./patterns/Requests.ts"
import { Buckets, decode, type SentenceModel } from "./SentenceModel.ts"
import {
  asksBit, headChars, introducesBit, isDataBit, labelsContentBit, labelsRequestBit, namesTaskBit, opensBit,
  sentencesOf, signCount, signsOf, withoutSpeaker
} from "./Sentences.ts"
import { tokens } from "./Tokens.ts"

/** Number of hash buckets of the trained model that tells a request from pasted text. */
export const requestBuckets = 32_768

const readCharsMax = 200
/** Characters of a word's beginning that are hashed, which inflected forms share. */
const prefixChars = 5
const openingWords = 3
const seeds = { words: 0x17, first: 0x2b, last: 0x35, prefix: 0x47, shape: 0x59 }

const buckets = new Buckets(requestBuckets)

/** Adds a hash of the first `prefixChars` letters of each word with at least so many letters. */
const addPrefixes = ({ codes, length }: TextCodes): void => {
  let letters = 0
  let hash = offsetBasis
  for (let index = 0; index < length; index++) {
    const code = codes[index]!
    if ((code >= 97 && code <= 122) || code >= 0xc0) {
      hash = fnvStep(letters === 0 ? offsetBasis : hash, code)
      if (++letters === prefixChars) buckets.add(fnvStep(hash, seeds.prefix))
    } else letters = 0
  }
}

/** Returns the buckets of one sentence, valid until the next call. */
export const requestBucketsOf = (unit: string, traits: ReadonlyArray<number>): Buckets => {
  const { hashes, size, text } = tokens(unit.trim().slice(0, readCharsMax).toLowerCase())
  buckets.begin()
  for (let index = 0; index < size; index++) {
    buckets.add(fnvStep(hashes[index]!, seeds.words))
    const previous = index === 0 ? offsetBasis : hashes[index - 1]!
    buckets.add(fnvStep(fnvStep(previous, hashes[index]!), seeds.words + 1))
  }
  for (let index = 0; index < Math.min(openingWords, size); index++) {
    buckets.add(fnvStep(fnvStep(hashes[index]!, index), seeds.first))
  }
  if (size > 0) buckets.add(fnvStep(hashes[size - 1]!, seeds.last))
  addPrefixes(text)
  for (const trait of traits) buckets.add(fnvStep(fnvStep(offsetBasis, trait), seeds.shape))
  return buckets
}

export const requestScore = (unit: string, traits: ReadonlyArray<number>, weights: SentenceModel): number =>
  requestBucketsOf(unit, traits).logOdds(weights)

export const requestModel =
  decode(readFileSync(new URL("./request.bin", import.meta.url)), requestBuckets, "request.bin")

/** Maximum number of characters and of sentences of the request. */
const spanCharsMax = 500
const unitsMax = 4
/** Minimum score of a second or later sentence of the request. */
const scoreMin = 0.9
/** If the best sentence scores this much, further sentences need `besidePlainScoreMin`, not `scoreMin`. */
const plainRequestScore = 2.5
const besidePlainScoreMin = 1.3
/** Longest sentence that may be a request without a loss of points, characters. */
const unitCharsMax = 220
/** Longest line that is not split into sentences, characters. */
const lineCharsMax = 90
/** Maximum number of sentences that are scored from either end of a text. */
const unitsPerEnd = 14

/** A sentence's score: its points by rules + `learnedShare` x (log odds limited to +-`logOddsMax`). */
const learnedShare = 0.3
const logOddsMax = 3
const learnedMax = learnedShare * logOddsMax

const scoreBySign = {
  edge: 1.2,
  /** Points for a sentence that begins like a question (as content also may), or like an order. */
  opensAsQuestion: 0.6,
  opensAsOrder: 2,
  questionMark: 1.5,
  namesTask: 0.8,
  labelsRequest: 1.5,
  labelsContent: -1,
  introduces: 0.5,
  longOrData: -1.5
}
/** A sentence that ends in a colon is an introduction if it is shorter than this, characters. */
const introductionCharsMax = 90

/** Returns lines and the sentences of long lines. Of many lines, returns those near both ends. */
const unitsOf = (masked: string): ReadonlyArray<string> => {
  const units: Array<string> = []
  for (const line of masked.split("\n")) {
    if (line.trim() === "") continue
    if (line.length <= lineCharsMax) units.push(line)
    else for (const sentence of sentencesOf(line)) if (sentence.trim() !== "") units.push(sentence)
  }
  return units.length <= 2 * unitsPerEnd
    ? units
    : [...units.slice(0, unitsPerEnd), ...units.slice(-unitsPerEnd)]
}

const clipped = (unit: string): string =>
  unit.length <= spanCharsMax / 2 ? unit.trim() : `${unit.slice(0, 160).trim()} ${unit.slice(-80).trim()}`

const scoreOf = (unit: string, length: number, isEdge: boolean, signs: number): number => {
  let score = isEdge ? scoreBySign.edge : 0
  if (signs & opensBit) {
    const isQuestion = questionStart.test(unit.slice(0, headChars))
    score += isQuestion ? scoreBySign.opensAsQuestion : scoreBySign.opensAsOrder
  }
  if (signs & asksBit) score += scoreBySign.questionMark
  if (signs & namesTaskBit) score += scoreBySign.namesTask
  if (signs & labelsRequestBit) score += scoreBySign.labelsRequest
  if (signs & labelsContentBit) score += scoreBySign.labelsContent
  if (signs & introducesBit && length < introductionCharsMax) score += scoreBySign.introduces
  if (unit.length > unitCharsMax || signs & isDataBit) score += scoreBySign.longOrData
  return score
}

const placeOf = (index: number, count: number): number =>
  count === 1 ? 0 : index === 0 ? 1 : index === count - 1 ? 2 : index === 1 ? 3 : index === count - 2 ? 4 : 5
/**
 * The numbers at which the kinds of traits (properties of a sentence) begin. The trained weights depend on
 * the numbers of traits.
 */
const traitsFrom = { place: 1000, placeAndCount: 1100, length: 1200, end: 1300, sign: 1500,
  signAndPlace: 1510, digit: 1600, small: 1700, signs: 2000, signsAndPlace: 3000 }
const countMax = 6
const lengthMax = 12
const endCodeMax = 199

interface RuledUnit {
  readonly unit: string
  readonly index: number
  /** Length of `unit` without the white space at its end, characters. */
  readonly length: number
  readonly signs: number
  readonly ruled: number
}

const traitsOf = ({ index, length, signs, unit }: RuledUnit, count: number): ReadonlyArray<number> => {
  const place = placeOf(index, count)
  const head = unit.slice(0, headChars)
  const found = [
    traitsFrom.place + place, traitsFrom.placeAndCount + place * 10 + Math.min(countMax, count),
    traitsFrom.length + Math.min(lengthMax, Math.floor(length / 20)),
    traitsFrom.end + Math.min(endCodeMax, unit.charCodeAt(length - 1) || 0),
    traitsFrom.digit + Number(/\d/.test(head)), traitsFrom.small + Number(/^\W{0,3}\p{Ll}/u.test(head))
  ]
  for (let bit = 0; bit < signCount; bit++) {
    if (signs & 1 << bit) found.push(traitsFrom.sign + bit, traitsFrom.signAndPlace + bit * 10 + place)
  }
  found.push(traitsFrom.signs + signs, traitsFrom.signsAndPlace + place * 2 ** signCount + signs)
  return found
}

const ruledUnits = (masked: string): ReadonlyArray<RuledUnit> => {
  const units = unitsOf(masked)
  return units.map((line, index) => {
    const unit = withoutSpeaker(line)
    const { length } = unit.trimEnd()
    const signs = signsOf(unit, length)
    const isEdge = index === 0 || index === units.length - 1
    return { unit, index, length, signs, ruled: scoreOf(unit, length, isEdge, signs) }
  })
}

export const scoredUnits = (masked: string) =>
  ruledUnits(masked).map((ruled, _, units) => ({ unit: ruled.unit, traits: traitsOf(ruled, units.length) }))

const scoresOf = (units: ReadonlyArray<RuledUnit>, weights: SentenceModel): Float64Array => {
  let highest = -Infinity
  for (const { ruled } of units) highest = Math.max(highest, ruled - learnedMax)
  const needed = Math.min(highest, highest >= plainRequestScore ? besidePlainScoreMin : scoreMin)
  const scores = new Float64Array(units.length)
  for (const each of units) {
    const { index, ruled, unit } = each
    // If no learned score can lift the sentence over the others, the model is not asked, because the result
    // stays the same.
    const logOdds = ruled + learnedMax < needed
      ? -logOddsMax
      : requestScore(unit, traitsOf(each, units.length), weights)
    scores[index] = ruled + learnedShare * Math.max(-logOddsMax, Math.min(logOddsMax, logOdds))
  }
  return scores
}

const bestOf = (scores: Float64Array): number => {
  let best = scores.length === 0 ? -1 : 0
  for (let index = 1; index < scores.length; index++) if (scores[index]! > scores[best]!) best = index
  return best
}

/**
 * Returns the sentences of a masked text that seem to ask for something, in order, at most about 500
 * characters. Returns an empty text only if the masked text is blank.
 */
export const instruction = (masked: string, weights: SentenceModel): string => {
  const units = ruledUnits(masked)
  const scores = scoresOf(units, weights)
  const least = (scores[bestOf(scores)] ?? 0) >= plainRequestScore ? besidePlainScoreMin : scoreMin
  const chosen: Array<{ readonly text: string; readonly index: number }> = []
  let length = 0
  for (let count = 0; count < Math.min(unitsMax, units.length); count++) {
    const index = bestOf(scores)
    const text = clipped(units[index]!.unit)
    if (count > 0 && (scores[index]! < least || length + text.length > spanCharsMax)) break
    chosen.push({ text, index })
    length += text.length
    scores[index] = -Infinity
  }
  return chosen.sort((a, b) => a.index - b.index).map(({ text }) => text).join("\n")
}
