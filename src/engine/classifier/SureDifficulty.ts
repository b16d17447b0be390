/** Reads the difficulty that a text surely shows. Written on principles, but for one trained score. */
import type { Difficulty } from "../../domain/Task.ts"
import { beforeRequest } from "./patterns/Requests.ts"
import {
  absent, approval, arithmetic, beforeIt, closedQuestion, content, conversion, courtesy, easyWork, elsewhere,
  fewWords, greeting, lightTouch, naming, notTrivial, onShortText, options, smallTalk, smallWord, special,
  yesOrNo
} from "./patterns/SureEasy.ts"
import { about, largeWord, proof, schoolProof, strengthened, works } from "./patterns/SureHard.ts"

/** Longest task that is read as trivial, and longest request without its material, UTF-8 bytes. */
const trivialBytes = 240
const requestBytes = 110
/** Characters in which a request names the work on a text. */
const openingChars = 240
/** Longest question that is read as one of a fact, bytes and words. */
const questionBytes = 70
const questionWords = 10
/** Where a sentence ends and another begins. */
const nextSentence = /[.!?;]\s+\p{L}|[。！？；]\p{L}/u
const sentenceEnd = /[.!?]\s|[\n。！？]/
/** Characters of a text in which it may ask for a large work. */
const workChars = 1_200
/**
 * Logits of difficulty under which a short request is easy, and under which one of easy work is: of the
 * second writer's requests under the first 57 of 65 were trivial or easy to him, and none hard.
 */
const easyLogit = -0.7
const easyWorkLogit = -0.2
/** Words of such a request at least: with fewer it may be a reply. */
const easyWords = 4

const wordsIn = (text: string): number => text.match(/[\p{L}\d]+/gu)?.length ?? 0

/** A text without the courtesies at its beginning, of which there may be two. */
const withoutCourtesies = (text: string): string =>
  text.trim().replace(courtesy, "").replace(courtesy, "")

/** A task as the classifier reads it. */
interface Reading {
  /** The result of `Normalise.ownText`; if it is empty, nothing is sure. */
  readonly task: string
  /** The result of `Normalise.squeeze`, and the same without its material. */
  readonly text: string
  readonly asked: string
  /** As `Difficulty.ts` has it. */
  readonly difficultyLogit: number
  /** Whether its type is doubtful; its aim is doubtful then, too. */
  readonly isUncertain: boolean
  /** Whether it ends something longer, which is not in the text: an "ok" may approve of anything. */
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

/** Whether it asks for little, by its words or by how easy the model of difficulty finds it. */
const isEasy = ({ asked, difficultyLogit, isLastTurn, isUncertain, text }: Reading): boolean => {
  if (difficultyLogit >= easyWorkLogit || options.test(text)) return false
  const opening = asked.slice(0, openingChars)
  if (naming.test(opening) || (asked !== text && fewWords.test(opening))) return !special.test(opening)
  const plain = withoutCourtesies(text)
  if (Buffer.byteLength(plain) > trivialBytes || elsewhere.test(plain) || special.test(plain)) return false
  const isReply = isLastTurn || approval.test(text.trim()) || wordsIn(plain) < easyWords
  return easyWork.test(plain) || (difficultyLogit < easyLogit && !isReply && !isUncertain)
}

/** How hard the requested work is; null if no sentence asks for a large one. */
const workOf = ({ asked }: Reading): "hard" | "expert" | null => {
  const head = asked.slice(0, workChars).toLowerCase()
  // Few texts have such a word, and few of their sentences: the others are not read.
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
 * The difficulty that a task's text surely shows: `trivial` for a short, closed, everyday request, `easy` for
 * a little writing, `hard` for a proof or a system, `expert` for research or a team's work; otherwise null.
 * Pure; reads at most {@link workChars} characters of a work.
 */
export const sureDifficulty = (reading: Reading): Exclude<Difficulty, "medium"> | null => {
  if (reading.task === "") return null
  if (isTrivial(reading)) return "trivial"
  return workOf(reading) ?? (isEasy(reading) ? "easy" : null)
}
