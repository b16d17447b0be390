/** Determines the difficulty if the text surely shows it, by hand-written rules and one trained score. */
import type { Difficulty } from "../../domain/Task.ts"
import { beforeRequest } from "./patterns/Requests.ts"
import {
  absent, approval, arithmetic, beforeIt, closedQuestion, content, conversion, courtesy, easyWork, elsewhere,
  fewWords, greeting, lightTouch, naming, notTrivial, onShortText, options, smallTalk, smallWord, special,
  yesOrNo
} from "./patterns/SureEasy.ts"
import { about, largeWord, proof, schoolProof, strengthened, works } from "./patterns/SureHard.ts"

/** Maximum lengths of a trivial task, and of its request without quoted text, UTF-8 bytes. */
const trivialBytes = 240
const requestBytes = 110
const openingChars = 240
/** Longest question about a fact, in bytes and in words. */
const questionBytes = 70
const questionWords = 10
const nextSentence = /[.!?;]\s+\p{L}|[。！？；]\p{L}/u
const sentenceEnd = /[.!?]\s|[\n。！？]/
const workChars = 1_200
/** Logits of difficulty below which a short request may be easy: any request, and easy kinds of work. */
const easyLogit = -0.7
const easyWorkLogit = -0.2
/** Minimum words of a request that is easy by its score, because a shorter text may be a reply. */
const easyWords = 4

const wordsIn = (text: string): number => text.match(/[\p{L}\d]+/gu)?.length ?? 0

const withoutCourtesies = (text: string): string =>
  text.trim().replace(courtesy, "").replace(courtesy, "")

interface Reading {
  /** Result of `Normalise.ownText`; if the result is empty, no difficulty is sure. */
  readonly task: string
  readonly text: string
  readonly asked: string
  readonly difficultyLogit: number
  /** True if the task type is doubtful; a low score alone then does not make a request easy. */
  readonly isUncertain: boolean
  /** True if earlier turns are probably not in the text; an "ok" may then approve of anything. */
  readonly isLastTurn: boolean
}

const isTrivial = ({ isLastTurn, task, text }: Reading): boolean => {
  if (Buffer.byteLength(task) > trivialBytes || options.test(text)) return false
  const asked = withoutCourtesies(text)
  if ((isLastTurn ? greeting : smallTalk).test(task.trim()) || arithmetic.test(asked)) return true
  if (isLastTurn && asked.search(content) < 0 && beforeIt.test(asked)) return false
  const request = asked.replace(content, " … ").trim()
  const isLong = Buffer.byteLength(request) > requestBytes || nextSentence.test(request)
  if (isLong || notTrivial.test(request)) return false
  if (onShortText.test(request) || conversion.test(asked) || lightTouch.test(asked)) return true
  return Buffer.byteLength(asked) <= questionBytes
    && wordsIn(asked) <= questionWords
    && (onShortText.test(asked)
      || !absent.test(request) && [closedQuestion, yesOrNo, smallWord].some((pattern) => pattern.test(asked)))
}

const isEasy = ({ asked, difficultyLogit, isLastTurn, isUncertain, text }: Reading): boolean => {
  if (difficultyLogit >= easyWorkLogit || options.test(text)) return false
  const opening = asked.slice(0, openingChars)
  if (naming.test(opening) || (asked !== text && fewWords.test(opening))) return !special.test(opening)
  const plain = withoutCourtesies(text)
  if (Buffer.byteLength(plain) > trivialBytes || elsewhere.test(plain) || special.test(plain)) return false
  const isReply = isLastTurn || approval.test(text.trim()) || wordsIn(plain) < easyWords
  return easyWork.test(plain) || (difficultyLogit < easyLogit && !isReply && !isUncertain)
}

const workOf = ({ asked }: Reading): "hard" | "expert" | null => {
  const head = asked.slice(0, workChars).toLowerCase()
  // A quick test for rare words saves the search of nearly every text.
  if (!largeWord.test(head) || options.test(head)) return null
  const levels = head.split(sentenceEnd).flatMap((each): ReadonlyArray<"hard" | "expert"> => {
    const sentence = each.trim().replace(courtesy, "").replace(beforeRequest, "")
    if (about.test(sentence)) return []
    const near = largeWord.test(sentence) ? works : []
    const found = near.filter(([scarce]) => scarce.test(sentence)).flatMap(([, asks]) => asks)
      .filter(([, ...patterns]) => patterns.every((pattern) => pattern.test(sentence)))
      .map(([level]) => level)
    const isProof = proof.test(sentence) && !schoolProof.test(sentence)
    return isProof ? [...found, strengthened.test(sentence) ? "expert" : "hard"] : found
  })
  return levels.includes("expert") ? "expert" : levels[0] ?? null
}

/**
 * Returns the difficulty that a text surely shows, or null if the text shows none. A short everyday request
 * with a short answer is `trivial`. A request for a little writing is `easy`. A request for a proof or a
 * system is `hard`. A request for research, or for the work of a team, is `expert`.
 */
export const sureDifficulty = (reading: Reading): Exclude<Difficulty, "medium"> | null => {
  if (reading.task === "") return null
  if (isTrivial(reading)) return "trivial"
  return workOf(reading) ?? (isEasy(reading) ? "easy" : null)
}
