/**
 * Reads the difficulty of a task that is surely trivial, or surely for experts. Most tasks are neither.
 * Written on principles, not trained.
 */
import type { Difficulty } from "../../domain/Task.ts"
import {
  about, absent, arithmetic, closedQuestion, content, conversion, courtesy, expertRules, lightTouch,
  notTrivial, onShortText, options, proof, proofWord, schoolProof, smallTalk, smallWord, yesOrNo
} from "./patterns/Sure.ts"

/** Longest task that is read as trivial, and longest request without what it is about, UTF-8 bytes. */
const trivialBytes = 240
const requestBytes = 110
/** Longest question that is read as one of a fact, bytes and words. */
const questionBytes = 70
const questionWords = 10
/** Where a sentence ends and another begins. */
const nextSentence = /[.!?;]\s+\p{L}|[。！？；]\p{L}/u
const sentenceEnd = /[.!?]\s|[\n。！？]/
/** Characters of a text in which it may ask for what only experts do. */
const expertChars = 1_200

const isTrivial = (task: string, text: string): boolean => {
  if (Buffer.byteLength(task) > trivialBytes || options.test(text)) return false
  const asked = text.trim().replace(courtesy, "").replace(courtesy, "")
  if (smallTalk.test(task.trim()) || arithmetic.test(asked)) return true
  const request = asked.replace(content, " … ").trim()
  const isLong = Buffer.byteLength(request) > requestBytes || nextSentence.test(request)
  if (isLong || notTrivial.test(request)) return false
  if (onShortText.test(request) || conversion.test(asked) || lightTouch.test(asked)) return true
  return Buffer.byteLength(asked) <= questionBytes
    && (asked.match(/[\p{L}\d]+/gu)?.length ?? 0) <= questionWords
    && (onShortText.test(asked)
      || !absent.test(request) && [closedQuestion, yesOrNo, smallWord].some((pattern) => pattern.test(asked)))
}

const isForExperts = (text: string): boolean => {
  const head = text.slice(0, expertChars).toLowerCase()
  // Few texts have the scarcest word of any rule: no sentence of the others is read.
  const rules = expertRules.filter(([scarcest]) => scarcest.test(head))
  if ((rules.length === 0 && !proofWord.test(head)) || options.test(head)) return false
  return head.split(sentenceEnd).some((each) => {
    const sentence = each.trim().replace(courtesy, "")
    return !about.test(sentence) && (
      rules.some((rule) => rule.every((pattern) => pattern.test(sentence)))
      || (proof.test(sentence) && !schoolProof.test(sentence))
    )
  })
}

/**
 * `trivial` for a short, closed, everyday request, `expert` for a proof, a large refactoring and the like,
 * null for all between. Pure; reads at most {@link expertChars} characters.
 *
 * @param text the task as `Normalise.squeeze` leaves it
 */
export const sureDifficulty = (
  task: string,
  text: string
): Extract<Difficulty, "trivial" | "expert"> | null =>
  isTrivial(task, text) ? "trivial" : isForExperts(text) ? "expert" : null
