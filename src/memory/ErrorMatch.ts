import type { FailureLesson } from "../domain/Lesson.ts"
import type { KeptLesson } from "./Strategies.ts"

/** Longest error text that is compared, in characters; a stack trace says the same thing further down. */
const errorTextMax = 20_000

/** Words of an error without what differs from one occurrence to the next: paths, hex, numbers. */
export const errorTokens = (text: string): ReadonlySet<string> =>
  new Set(
    text.slice(0, errorTextMax).toLowerCase()
      .replace(/(?:[a-z]:)?(?:[\\/][\w.@-]+){2,}/g, " ")
      .replace(/\b0x[0-9a-f]+\b|\b(?=[0-9a-f]*\d)[0-9a-f]{8,}\b/g, " ")
      .replace(/\d+/g, " ")
      .match(/\p{L}{3,}/gu) ?? []
  )

/**
 * Failure lessons that share words with the error, best first: by the share of the error's words that the
 * lesson has, then importance, then confidence. `total` counts all that match, before `limit`.
 */
export const matchError = (
  lessons: ReadonlyArray<KeptLesson>,
  query: { readonly errorText: string; readonly errorType: string | null; readonly limit: number }
): { readonly lessons: ReadonlyArray<FailureLesson>; readonly total: number } => {
  const wanted = errorTokens(`${query.errorType ?? ""} ${query.errorText}`)
  const matches = lessons.flatMap((lesson) => {
    if (lesson.lessonType !== "failure") return []
    const tokens = errorTokens(`${lesson.content} ${lesson.cluster} ${lesson.modelId}`)
    const overlap = [...wanted].filter((token) => tokens.has(token)).length
    return overlap === 0 ? [] : [{ lesson, overlap }]
  }).sort((left, right) =>
    right.overlap - left.overlap || right.lesson.importance - left.lesson.importance ||
    right.lesson.confidence - left.lesson.confidence
  )
  return {
    lessons: matches.slice(0, query.limit).map(({ lesson }) => ({
      lessonId: lesson.lessonId,
      content: lesson.content,
      lessonType: lesson.lessonType,
      importance: lesson.importance,
      confidence: lesson.confidence
    })),
    total: matches.length
  }
}
