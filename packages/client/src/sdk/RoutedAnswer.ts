/* The choice behind each answer, stream and helper, kept beside these objects of the SDK. */
import type { Choice, ScoreOptions } from "../Choice.ts"
import { attempt } from "../ForeignValues.ts"
import type { Sextant } from "../Sextant.ts"
import type { EvidenceSource } from "../Wire.ts"

/** The routing of an answer. */
export interface Routed extends Pick<Choice, "recommendationId" | "source" | "reason" | "detail"> {
  /** The model that gave the answer, by the id that Sextant knows it by. */
  readonly modelId: string
}

/** The key of it in an answer: a symbol, which JSON leaves out and a copy keeps. */
const key = Symbol.for("sextant-client")
/** By the response, and by the signal with which a helper made the request. */
const routedBy = new WeakMap<object, Routed>()

/** Remembers a response's routing, also for the helper that owns the signal. */
export const rememberRouted = (routed: Routed, response: Response, signal?: AbortSignal | null): void => {
  routedBy.set(response, routed)
  if (signal) routedBy.set(signal, routed)
}

/** The answer, with the routing of its response attached. */
export const marked = <A>(answer: A, response: Response): A => {
  const value = routedBy.get(response)
  if (value === undefined || typeof answer !== "object" || answer === null) return answer
  const property = { value, enumerable: true, configurable: true }
  return attempt(() => Object.defineProperty(answer, key, property), answer)
}

/**
 * The routing of an answer, its stream, its raw response, or a helper (`stream`, `runTools`), whose last
 * request counts. Null if it was not routed.
 */
export const sextantOf = (answer: object): Routed | null => {
  // A program in JavaScript may hand in anything.
  const { [key]: routed, controller } = Object(answer) as {
    readonly [key]?: Routed
    readonly controller?: AbortController
  }
  return routed ?? routedBy.get(answer) ?? routedBy.get(Object(controller).signal) ?? null
}

/** The client of the service that an SDK's client carries; `score` takes answers too. */
export interface AnswerSextant<Id extends string> extends Omit<Sextant<Id>, "score"> {
  /** Reports a verdict on an answer, its stream or helper; on a choice; or on a recommendation's id. */
  readonly score: (
    answer: object | string,
    quality: number | boolean | null,
    source?: EvidenceSource,
    options?: ScoreOptions
  ) => boolean
}

/** The same client with a `score` that takes answers. */
export const scoringAnswers = <Id extends string>(sextant: Sextant<Id>): AnswerSextant<Id> => ({
  ...sextant,
  score: (answer, quality, source, options) => {
    if (typeof answer === "string") return sextant.score(answer, quality, source, options)
    const routed = sextantOf(answer)
    if (routed === null) return sextant.score(answer as Choice<Id>, quality, source, options)
    const { modelId, recommendationId } = routed
    return recommendationId !== null
      && sextant.score(recommendationId, quality, source, { modelId, ...options })
  }
})
