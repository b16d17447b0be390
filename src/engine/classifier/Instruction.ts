import { sentencesOf } from "./Normalise.ts"
import { requestScore } from "./Request.ts"
import type { SentenceModel } from "./SentenceModel.ts"

/** A span is short enough that every n-gram of it can be hashed. */
const longestSpan = 500
const mostUnits = 4
/** A unit that scores less is content. */
const leastScore = 0.9
/** Beside a plain request (2.5 or more) standing first or last is not enough: that may be a letterhead or a footer. */
const plainRequest = 2.5
const leastBesidePlain = 1.3
/** Longer units are pasted prose; a request is rarely a sentence of 220 characters. */
const longUnit = 220
/** Lines past this are split into sentences. */
const longLine = 90
/** Units beyond this many from either end are pasted content and are not scored. */
const unitsPerEnd = 14

/** How much a learned log odds of asking, cut at `surest` either way, adds to the score by rules. */
const learnedShare = 0.3
const surest = 3
const mostLearned = learnedShare * surest

/** Code fences become one word: that code is there may matter, what it says may not. */
export const codeMark = "codeblock"
const quoteMark = "quotedblock"

const verbs = new Set((
  "write create make build implement generate design develop code program fix debug refactor optimize optimise explain describe "
  + "summarize summarise sum condense shorten compress recap outline extract list find identify get pull give show tell return "
  + "collect locate pick highlight spot parse name answer solve calculate compute determine prove derive evaluate simplify count "
  + "estimate translate render convert classify categorize categorise label tag rate rank sort order assign decide judge detect "
  + "compare choose select complete fill continue finish compose draft imagine invent tell pretend brainstorm suggest recommend "
  + "plan schedule book send set turn open close play remind call search look fetch check run execute query use read consider "
  + "rewrite rephrase paraphrase reword edit proofread correct improve polish format reformat reply respond change replace remove "
  + "add merge split analyze analyse assess review discuss predict guess verify test draw print define state organize arrange "
  + "map match mark note copy quote provide prepare put order buy cancel delete update start stop switch dim lock navigate "
  + "based given using between in from of what which who whom whose when where why how is are was were do does did can could would will should if "
  + "schreibe schreib übersetze fasse nenne erkläre finde berechne ordne klassifiziere erstelle gib liste welche welcher was wer wie wann wo warum "
  + "escribe traduce resume extrae explica calcula clasifica haz dame qué cuál cómo quién cuándo dónde encuentra genera "
  + "écris traduis résume extrais explique calcule classe donne trouve quel quelle quels comment pourquoi qui génère fais liste "
  + "scrivi traduci riassumi estrai spiega calcola classifica trova quale chi come perché escreva traduza resuma extraia explique calcule classifique "
  + "schrijf vertaal vat noem bereken skriv oversæt översätt напиши переведи кратко найди извлеки реши классифицируй кто что napisz przetłumacz streść"
).split(" "))
const lead = /^(?:(?:please|pls|plz|kindly|now|then|next|just|also|ok|bitte|por favor|s'il (?:te|vous) plaît)[\s,]+|(?:can|could|would|will) (?:you|u|we|someone) (?:please |kindly |pls |plz |help me (?:to )?)?|i (?:want|need|would like|'d like)(?: you)? to |i'd like (?:you )?to |help me (?:to )?|your (?:task|job) is to |let'?s )/i
const label = /^\W{0,4}(?:question|q|instructions?|task|user|query|request|todo|problem|prompt|goal|aufgabe|frage|pregunta|tarea|вопрос|问题|任务)\s?\d{0,2}\s?[:：]/i
const contentLabel = /^\W{0,4}(?:context|article|passage|document|text|input|data|content|email|review|transcript|source|background|story|paragraph|log|output|snippet|example|note|abstract|title|message|body|tools?|functions?)\s?\d{0,3}\s?[:：]/i
const taskWord = /\b(?:summar|translat|extract|classif|categor|sentiment|function|script|story|poem|answer|question|keyword|concept|paraphras|rewrite|tl;?dr|essay|email|code|entities|label|bug|regex|sql)|翻译|总结|摘要|写|提取|分类|请|翻訳|要約|書|번역|요약/i
const questionStart = /^\W{0,3}(?:what|which|who|whom|whose|when|where|why|how|is|are|was|were|do|does|did|can|could|should|would|will)\b/i
const notProse = /^\s*(?:[{}[\]|<>"“«]|at |\d{4}-|\[|import |from \w+ import|def |const |let |var |function |class |#include|public |return\b|SELECT\b.{0,40}\bFROM\b)/

const firstWord = (unit: string): string => {
  const start = unit.replace(/^[\s\d.)#*>\-•"']{0,12}/, "").replace(lead, "").replace(lead, "")
  return (/^[\p{L}']{1,20}/u.exec(start)?.[0] ?? "").toLowerCase()
}

/** Whether a sentence opens with a word that asks for work. */
export const opensRequest = (unit: string): boolean => verbs.has(firstWord(unit))

/** Fences and long triple-quoted blocks as one word each, so that what is pasted does not decide. Linear time. */
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

/** "Visitor 14:03: translate ..." asks what "translate ..." asks; labels that say what follows are kept. */
const withoutSpeaker = (unit: string): string => {
  const speaker = /^[^:：\n]{1,40}[:：]\s+(?=\p{L})/u.exec(unit)?.[0]
  if (speaker === undefined || label.test(unit) || contentLabel.test(unit) || verbs.has(firstWord(unit))) return unit
  const rest = unit.slice(speaker.length)
  return verbs.has(firstWord(rest)) ? rest : unit
}

/** Lines, long ones as sentences; of very many, those near either end. */
const unitsOf = (masked: string): ReadonlyArray<string> => {
  const units: Array<string> = []
  for (const line of masked.split("\n")) {
    if (line.trim() === "") continue
    if (line.length <= longLine) units.push(line)
    else for (const sentence of sentencesOf(line)) if (sentence.trim() !== "") units.push(sentence)
  }
  return units.length <= 2 * unitsPerEnd ? units : [...units.slice(0, unitsPerEnd), ...units.slice(-unitsPerEnd)]
}

const clipped = (unit: string): string =>
  unit.length <= longestSpan / 2 ? unit.trim() : `${unit.slice(0, 160).trim()} ${unit.slice(-80).trim()}`

/** What rules see in a sentence, in the order of the bits of a trait. */
const signsOf = (unit: string): ReadonlyArray<boolean> => {
  const head = unit.slice(0, 120)
  const end = unit.trimEnd().slice(-4)
  const isLabelled = label.test(head)
  return [
    verbs.has(firstWord(isLabelled ? head.slice(head.search(/[:：]/) + 1) : head)),
    /[?？]["')\]]{0,2}$/.test(end), taskWord.test(head), isLabelled, contentLabel.test(head),
    /[:：]$/.test(end), notProse.test(head)
  ]
}

const scoreOf = (unit: string, isEdge: boolean, signs: ReadonlyArray<boolean>): number => {
  const [opens, asks, names, isLabelled, labelsContent, introduces, isData] = signs
  let score = isEdge ? 1.2 : 0
  if (opens) score += questionStart.test(unit.slice(0, 120)) ? 0.6 : 2
  if (asks) score += 1.5
  if (names) score += 0.8
  if (isLabelled) score += 1.5
  if (labelsContent) score -= 1
  if (introduces && unit.trimEnd().length < 90) score += 0.5
  if (unit.length > longUnit || isData) score -= 1.5
  return score
}

/** Only, first, last, second, last but one or in the middle. */
const placeOf = (index: number, count: number): number =>
  count === 1 ? 0 : index === 0 ? 1 : index === count - 1 ? 2 : index === 1 ? 3 : index === count - 2 ? 4 : 5
const traitsFrom = { place: 1000, placeAndCount: 1100, length: 1200, end: 1300, sign: 1500, signAndPlace: 1510,
  digit: 1600, small: 1700, signs: 2000, signsAndPlace: 3000 }
const mostCount = 6
const mostLength = 12
const mostEnd = 199

/** What holds of a sentence at its place, each as a number of its own. */
const traitsOf = (
  unit: string,
  place: number,
  count: number,
  signs: ReadonlyArray<boolean>
): ReadonlyArray<number> => {
  const head = unit.slice(0, 120)
  const trimmed = unit.trimEnd()
  const found = [
    traitsFrom.place + place, traitsFrom.placeAndCount + place * 10 + Math.min(mostCount, count),
    traitsFrom.length + Math.min(mostLength, Math.floor(trimmed.length / 20)),
    traitsFrom.end + Math.min(mostEnd, trimmed.charCodeAt(trimmed.length - 1) || 0),
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

export const scoredUnits = (masked: string): ReadonlyArray<ScoredUnit> =>
  unitsOf(masked).map(withoutSpeaker).map((unit, index, units) => {
    const signs = signsOf(unit)
    return {
      unit, index, ruled: scoreOf(unit, index === 0 || index === units.length - 1, signs),
      traits: traitsOf(unit, placeOf(index, units.length), units.length, signs)
    }
  })

/**
 * The sentences of a masked text that ask for something, in their order, at most about 500 characters; never empty
 * unless the text is. Each line or sentence is scored by how much it reads like a request, by rules and by `weights`.
 */
export const instruction = (masked: string, weights: SentenceModel): string => {
  const units = scoredUnits(masked)
  const highest = units.reduce((most, { ruled }) => Math.max(most, ruled), -Infinity) - mostLearned
  const needed = Math.min(highest, highest >= plainRequest ? leastBesidePlain : leastScore)
  const scored = units.map(({ index, ruled, traits, unit }) => ({
    unit, index,
    // What cannot be chosen whatever was learned is not looked up; that changes no result.
    score: ruled + (ruled + mostLearned < needed
      ? -mostLearned
      : learnedShare * Math.max(-surest, Math.min(surest, requestScore(unit, traits, weights))))
  }))
  const best = scored.toSorted((a, b) => b.score - a.score || a.index - b.index)
  const least = (best[0]?.score ?? 0) >= plainRequest ? leastBesidePlain : leastScore
  const chosen: Array<{ readonly unit: string; readonly index: number }> = []
  let length = 0
  for (const { unit, index, score } of best) {
    const text = clipped(unit)
    if (chosen.length > 0 && (score < least || length + text.length > longestSpan)) break
    if (chosen.length === mostUnits) break
    chosen.push({ unit: text, index })
    length += text.length
  }
  return chosen.toSorted((a, b) => a.index - b.index).map(({ unit }) => unit).join("\n")
}
