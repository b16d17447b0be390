/* Finds the failure lessons about an error. */
import type { FailureLesson } from "../../domain/Lesson.ts"
import { dice, overlapOf } from "../../stats/Overlap.ts"
import { type ErrorFingerprint, fingerprintsOf, tokensOf } from "./ErrorFingerprint.ts"
import { breadth, type StoredLesson, outcomeTopic, pairOf } from "./StoredLesson.ts"

/** Minimum similarity of a lesson's error to the diagnosed error. Chosen. */
const similarityMin = 0.35
/** Weight of the headline's words in the similarity; all words of the error weigh 1 - `headlineShare`. */
const headlineShare = 0.7
/** Amount that is added to a similarity above 0 if the error types are equal. */
const typeBonus = 0.15

/** Computes n / (1 + size of the smaller set), in [0, 1), for n common words. */
const containment = (left: ReadonlySet<string>, right: ReadonlySet<string>): number =>
  overlapOf(left, right) / (Math.min(left.size, right.size) + 1)

interface Comparable {
  readonly fingerprint: string | null
  readonly errorType: string | null
  readonly headline: ReadonlySet<string>
  readonly tokens: ReadonlySet<string>
}

const comparableOf = (print: ErrorFingerprint): Comparable => ({
  ...print,
  headline: new Set(tokensOf(print.headline)),
  tokens: new Set(print.tokens)
})

/** A lesson that stores no error is compared by its sentence. */
const ofLesson = ({ content, error }: StoredLesson): Comparable =>
  error === null
    ? { ...comparableOf(fingerprintsOf(content)[0]), fingerprint: null, errorType: null }
    : comparableOf(error)

const similarityOf = (wanted: Comparable, lesson: Comparable): number =>
  wanted.fingerprint === lesson.fingerprint
    ? 1
    : headlineShare * dice(wanted.headline, lesson.headline)
      + (1 - headlineShare) * containment(wanted.tokens, lesson.tokens)

/** Returns the last part of a dotted name in lower case: `keyerror` for `builtins.KeyError`. */
const typeName = (errorType: string): string => errorType.toLowerCase().split(/[.:]+/).at(-1) ?? ""

/**
 * Finds the failure lessons that are similar to an error. Of the lessons about the same error, model and
 * cluster, only the best is returned. `total` is the number of lessons before they are cut to `limit`.
 */
export const matchError = (
  lessons: ReadonlyArray<StoredLesson>,
  query: {
    readonly errorText: string
    readonly errorType: string | null
    readonly userId: string | null
    readonly limit: number
  }
): { readonly lessons: ReadonlyArray<FailureLesson>; readonly total: number } => {
  const wanted = fingerprintsOf(query.errorText).map(comparableOf)
  const hint = query.errorType === null ? null : typeName(query.errorType)
  const bonusOf = ({ errorType }: Comparable): number =>
    hint !== null && errorType !== null && typeName(errorType) === hint ? typeBonus : 0

  const matches = lessons
    .filter(({ error, lessonType, topic, userId }) =>
      lessonType === "failure" && (error !== null || topic === outcomeTopic) &&
      (query.userId === null || userId === null || userId === query.userId))
    .map((lesson) => {
      const compared = ofLesson(lesson)
      const similarity = Math.max(...wanted.map((print) => similarityOf(print, compared)))
      return { lesson, similarity: similarity + (similarity > 0 ? bonusOf(compared) : 0) }
    })
    .filter(({ similarity }) => similarity >= similarityMin)
    .sort((left, right) =>
      right.similarity - left.similarity ||
      breadth[right.lesson.scope] - breadth[left.lesson.scope] ||
      right.lesson.confidence - left.lesson.confidence ||
      right.lesson.importance - left.lesson.importance ||
      right.lesson.occurredAt.getTime() - left.lesson.occurredAt.getTime()
    )
  const distinct = Map.groupBy(matches, ({ lesson }) =>
    lesson.error === null ? lesson.lessonId : `${lesson.error.fingerprint} ${pairOf(lesson)}`)
  const best = [...distinct.values()].flatMap(([first]) => first === undefined ? [] : [first.lesson])
  return {
    lessons: best.slice(0, query.limit).map(({ confidence, content, importance, lessonId, lessonType }) =>
      ({ lessonId, content, lessonType, importance, confidence })),
    total: best.length
  }
}
