/** Finds the request in a text: scores each sentence by rules and by a trained model. */
import {
  contentLabel, label, lead, notProse, questionStart, taskWord, verbs
} from "./patterns/Requests.ts"
import { requestScore } from "./RequestModel.ts"
import type { SentenceModel } from "./SentenceModel.ts"
import { sentencesOf } from "./Sentences.ts"

/** Characters and sentences of the request at most: few enough that every n-gram can be hashed. */
const spanCharsMax = 500
const unitsMax = 4
/** Least score of a request: a sentence that scores less is content. */
const scoreMin = 0.9
/**
 * Score of a plain request, and the least score of a sentence beside one: its place at the start or the end
 * is not enough there, since a letterhead or a footer may stand at either.
 */
const plainRequestScore = 2.5
const besidePlainScoreMin = 1.3
/** Characters beyond which a sentence is pasted prose; requests are rarely that long. */
const unitCharsMax = 220
/** Characters beyond which a line is split into sentences. */
const lineCharsMax = 90
/** Sentences that are scored from either end, count: those in between are pasted content. */
const unitsPerEnd = 14

/** Share of the learned log odds, clipped to +-`logOddsMax`, that is added to the score by rules. */
const learnedShare = 0.3
const logOddsMax = 3
const learnedMax = learnedShare * logOddsMax

/**
 * The words that stand for a code fence and for a quoted block: that they are there may matter, not what they
 * say.
 */
const codeMark = "codeblock"
const quoteMark = "quotedblock"

/** The beginning of a sentence in which rules look for signs, characters. */
const headChars = 120

/** What each sign adds to the score of a sentence by rules; a sentence that reads like data loses some. */
const scoreBySign = {
  /** It stands first or last. */
  edge: 1.2,
  /** It opens with a word that asks for work: as a question, which content may hold too, or as an order. */
  opensAsQuestion: 0.6,
  opensAsOrder: 2,
  questionMark: 1.5,
  namesTask: 0.8,
  labelsRequest: 1.5,
  labelsContent: -1,
  introduces: 0.5,
  longOrData: -1.5
}
/** Characters from which a sentence that ends in a colon is more than an introduction. */
const introductionCharsMax = 90

/** The first word of a sentence in lower case, courtesies skipped; empty for none. */
const firstWord = (unit: string): string => {
  const start = unit.replace(/^[\s\d.)#*>\-•"']{0,12}/, "").replace(lead, "").replace(lead, "")
  return (/^[\p{L}']{1,20}/u.exec(start)?.[0] ?? "").toLowerCase()
}

/** Whether a sentence opens with a word that asks for work. */
export const opensRequest = (unit: string): boolean => verbs.has(firstWord(unit))

/**
 * The text with fences and long triple-quoted blocks as one word each, so that pasted content does not
 * decide.
 */
export const mask = (text: string): string => {
  let masked = text
  for (const [fence, word] of [["```", codeMark], ["\"\"\"", quoteMark], ["'''", quoteMark]] as const) {
    const parts = masked.split(fence)
    if (parts.length < 2) continue
    masked = parts
      .map((part, index) => index % 2 === 0 ? part : part.length < 60 && fence !== "```" ? part : ` ${word} `)
      .join("\n")
  }
  return masked
}

/** A sentence without its speaker ("Visitor 14:03: translate ..."); labels that say what follows are kept. */
const withoutSpeaker = (unit: string): string => {
  const speaker = /^[^:：\n]{1,40}[:：]\s+(?=\p{L})/u.exec(unit)?.[0]
  if (speaker === undefined || label.test(unit) || contentLabel.test(unit) || opensRequest(unit)) return unit
  const rest = unit.slice(speaker.length)
  return opensRequest(rest) ? rest : unit
}

/** Lines, long ones as sentences; of very many, those near either end. */
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

/** A sentence, of a long one its beginning and its end. */
const clipped = (unit: string): string =>
  unit.length <= spanCharsMax / 2 ? unit.trim() : `${unit.slice(0, 160).trim()} ${unit.slice(-80).trim()}`

/** What rules see in a sentence, in the order of the bits of a trait. */
const signsOf = (unit: string): ReadonlyArray<boolean> => {
  const head = unit.slice(0, headChars)
  const end = unit.trimEnd().slice(-4)
  const isLabelled = label.test(head)
  return [
    verbs.has(firstWord(isLabelled ? head.slice(head.search(/[:：]/) + 1) : head)),
    /[?？]["')\]]{0,2}$/.test(end), taskWord.test(head), isLabelled, contentLabel.test(head),
    /[:：]$/.test(end), notProse.test(head)
  ]
}

/** Score by rules of a sentence: how much it reads like a request. */
const scoreOf = (unit: string, isEdge: boolean, signs: ReadonlyArray<boolean>): number => {
  const [opens, asks, names, isLabelled, labelsContent, introduces, isData] = signs
  let score = isEdge ? scoreBySign.edge : 0
  if (opens) {
    const isQuestion = questionStart.test(unit.slice(0, headChars))
    score += isQuestion ? scoreBySign.opensAsQuestion : scoreBySign.opensAsOrder
  }
  if (asks) score += scoreBySign.questionMark
  if (names) score += scoreBySign.namesTask
  if (isLabelled) score += scoreBySign.labelsRequest
  if (labelsContent) score += scoreBySign.labelsContent
  if (introduces && unit.trimEnd().length < introductionCharsMax) score += scoreBySign.introduces
  if (unit.length > unitCharsMax || isData) score += scoreBySign.longOrData
  return score
}

/** Number of a place: 0 only, 1 first, 2 last, 3 second, 4 last but one, 5 in the middle. */
const placeOf = (index: number, count: number): number =>
  count === 1 ? 0 : index === 0 ? 1 : index === count - 1 ? 2 : index === 1 ? 3 : index === count - 2 ? 4 : 5
/** The first number of each kind of trait: the trained weights depend on them. */
const traitsFrom = { place: 1000, placeAndCount: 1100, length: 1200, end: 1300, sign: 1500,
  signAndPlace: 1510, digit: 1600, small: 1700, signs: 2000, signsAndPlace: 3000 }
const countMax = 6
const lengthMax = 12
const endCodeMax = 199

/** What holds of a sentence at its place, each as a number of its own. */
const traitsOf = (
  unit: string,
  place: number,
  count: number,
  signs: ReadonlyArray<boolean>
): ReadonlyArray<number> => {
  const head = unit.slice(0, headChars)
  const trimmed = unit.trimEnd()
  const found = [
    traitsFrom.place + place, traitsFrom.placeAndCount + place * 10 + Math.min(countMax, count),
    traitsFrom.length + Math.min(lengthMax, Math.floor(trimmed.length / 20)),
    traitsFrom.end + Math.min(endCodeMax, trimmed.charCodeAt(trimmed.length - 1) || 0),
    traitsFrom.digit + Number(/\d/.test(head)), traitsFrom.small + Number(/^\W{0,3}\p{Ll}/u.test(head))
  ]
  let bits = 0
  for (let bit = 0; bit < signs.length; bit++) {
    if (!signs[bit]) continue
    bits += 2 ** bit
    found.push(traitsFrom.sign + bit, traitsFrom.signAndPlace + bit * 10 + place)
  }
  found.push(traitsFrom.signs + bits, traitsFrom.signsAndPlace + place * 2 ** signs.length + bits)
  return found
}

/** A sentence of a masked text, its score by rules and what a learned score is made of. */
export interface ScoredUnit {
  readonly unit: string
  readonly index: number
  readonly ruled: number
  readonly traits: ReadonlyArray<number>
}

/** The sentences of a masked text in their order, each with its score by rules and its traits. */
export const scoredUnits = (masked: string): ReadonlyArray<ScoredUnit> =>
  unitsOf(masked).map(withoutSpeaker).map((unit, index, units) => {
    const signs = signsOf(unit)
    return {
      unit, index, ruled: scoreOf(unit, index === 0 || index === units.length - 1, signs),
      traits: traitsOf(unit, placeOf(index, units.length), units.length, signs)
    }
  })

/**
 * The sentences of a masked text that ask for something, in their order, at most about 500 characters; never
 * empty unless the text is. Each line or sentence is scored by how much it reads like a request, by rules and
 * by `weights`.
 */
export const instruction = (masked: string, weights: SentenceModel): string => {
  const units = scoredUnits(masked)
  const highest = units.reduce((most, { ruled }) => Math.max(most, ruled), -Infinity) - learnedMax
  const needed = Math.min(highest, highest >= plainRequestScore ? besidePlainScoreMin : scoreMin)
  const scored = units.map(({ index, ruled, traits, unit }) => ({
    unit, index,
    // A sentence that no learned score can lift over the others is not looked up; that changes no result.
    score: ruled + (ruled + learnedMax < needed
      ? -learnedMax
      : learnedShare * Math.max(-logOddsMax, Math.min(logOddsMax, requestScore(unit, traits, weights))))
  }))
  const best = scored.toSorted((a, b) => b.score - a.score || a.index - b.index)
  const least = (best[0]?.score ?? 0) >= plainRequestScore ? besidePlainScoreMin : scoreMin
  const chosen: Array<{ readonly unit: string; readonly index: number }> = []
  let length = 0
  for (const { unit, index, score } of best) {
    const text = clipped(unit)
    if (chosen.length > 0 && (score < least || length + text.length > spanCharsMax)) break
    if (chosen.length === unitsMax) break
    chosen.push({ unit: text, index })
    length += text.length
  }
  return chosen.toSorted((a, b) => a.index - b.index).map(({ unit }) => unit).join("\n")
}
