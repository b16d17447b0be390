/** Reads the difficulty that a text surely shows, by rules that are written by hand and one trained score. */
import type { Difficulty } from "../../domain/Task.ts"
import { beforeRequest } from "./patterns/Requests.ts"
import {
  absent, approval, arithmetic, beforeIt, closedQuestion, content, conversion, courtesy, easyWork, elsewhere,
  fewWords, greeting, lightTouch, naming, notTrivial, onShortText, options, smallTalk, smallWord, special,
  yesOrNo
} from "./patterns/SureEasy.ts"
import { about, largeWord, proof, schoolProof, strengthened, works } from "./patterns/SureHard.ts"

/** Longest trivial task, and longest request in it without quoted text, UTF-8 bytes. */
const trivialBytes = 240
const requestBytes = 110
/** Characters from the start that are searched for work on a text. */
const openingChars = 240
/** Longest question about a fact, bytes and words. */
const questionBytes = 70
const questionWords = 10
const nextSentence = /[.!?;]\s+\p{L}|[。！？；]\p{L}/u
const sentenceEnd = /[.!?]\s|[\n。！？]/
/** Characters from the start that are searched for a large work. */
const workChars = 1_200
/**
 * Logits of difficulty below which a short request is easy: the first for any request, the second for easy
 * work. A person who labelled 65 requests below the first called 57 trivial or easy, and none hard.
 */
const easyLogit = -0.7
const easyWorkLogit = -0.2
/** Fewest words of such a request: a shorter text may be a reply. */
const easyWords = 4

const wordsIn = (text: string): number => text.match(/[\p{L}\d]+/gu)?.length ?? 0

/** A text without up to two courtesies at its beginning. */
const withoutCourtesies = (text: string): string =>
  text.trim().replace(courtesy, "").replace(courtesy, "")

interface Reading {
  /** Result of `Normalise.ownText`; if it is empty, nothing is sure. */
  readonly task: string
  /** Result of `Normalise.squeeze`. */
  readonly text: string
  /** The same text without its material. */
  readonly asked: string
  /** Result of `Difficulty.difficultyLogitOf`. */
  readonly difficultyLogit: number
  /** The task type is doubtful, so the aim is doubtful too. */
  readonly isUncertain: boolean
  /** The text ends a longer conversation that is not in it. An "ok" may then approve of anything. */
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

/** True if a task asks for little, by its words or by its difficulty. */
const isEasy = ({ asked, difficultyLogit, isLastTurn, isUncertain, text }: Reading): boolean => {
  if (difficultyLogit >= easyWorkLogit || options.test(text)) return false
  const opening = asked.slice(0, openingChars)
  if (naming.test(opening) || (asked !== text && fewWords.test(opening))) return !special.test(opening)
  const plain = withoutCourtesies(text)
  if (Buffer.byteLength(plain) > trivialBytes || elsewhere.test(plain) || special.test(plain)) return false
  const isReply = isLastTurn || approval.test(text.trim()) || wordsIn(plain) < easyWords
  return easyWork.test(plain) || (difficultyLogit < easyLogit && !isReply && !isUncertain)
}

/** Difficulty of the requested work; null if no sentence asks for a large work. */
const workOf = ({ asked }: Reading): "hard" | "expert" | null => {
  const head = asked.slice(0, workChars).toLowerCase()
  // Few texts have such a word. All others need no further search.
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
 * The difficulty that a text surely shows; null if it shows none:
 * - `trivial`: a short everyday request with a closed answer
 * - `easy`: a little writing
 * - `hard`: a proof or a system
 * - `expert`: research, or the work of a team
 */
export const sureDifficulty = (reading: Reading): Exclude<Difficulty, "medium"> | null => {
  if (reading.task === "") return null
  if (isTrivial(reading)) return "trivial"
  return workOf(reading) ?? (isEasy(reading) ? "easy" : null)
}
