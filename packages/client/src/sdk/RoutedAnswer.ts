/* Keeps the choice behind each answer, stream and helper of the SDK. */
import type { Choice, ScoreOptions } from "../Choice.ts"
import { attempt } from "../ForeignValues.ts"
import type { Sextant } from "../Sextant.ts"
import type { EvidenceSource } from "../Wire.ts"

export interface Routed extends Pick<Choice, "recommendationId" | "source" | "reason" | "detail"> {
  /** The model that gave the answer, by Sextant's id. */
  readonly modelId: string
}

/** The routing's key in an answer. JSON leaves a symbol out, and a copy keeps it. */
const key = Symbol.for("sextant-client")
/** Routings by response, and by the signal of a helper's request. */
const routedBy = new WeakMap<object, Routed>()

/** Remembers a response's routing, also by the signal of the helper that sent the request. */
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
 * The routing of an answer, a stream, a raw response, or a helper such as `stream`. For a helper the last
 * request counts. Null if the answer was not routed.
 */
export const sextantOf = (answer: object): Routed | null => {
  // A program in JavaScript may pass any value.
  const { [key]: routed, controller } = Object(answer) as {
    readonly [key]?: Routed
    readonly controller?: AbortController
  }
  return routed ?? routedBy.get(answer) ?? routedBy.get(Object(controller).signal) ?? null
}

/** The Sextant client of an SDK's client. Its `score` takes answers too. */
export interface AnswerSextant<Id extends string> extends Omit<Sextant<Id>, "score"> {
  /** Reports a verdict on an answer, a stream, a helper, a choice, or the id of a recommendation. */
  readonly score: (
    answer: object | string,
    quality: number | boolean | null,
    source?: EvidenceSource,
    options?: ScoreOptions
  ) => boolean
}

/** Gives the client a `score` that takes answers. */
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
