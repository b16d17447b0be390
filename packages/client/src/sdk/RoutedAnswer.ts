/* Remembers which choice led to each answer, stream and helper of the SDK. */
import type { Choice, ScoreOptions } from "../Choice.ts"
import { attempt } from "../ForeignValues.ts"
import type { Sextant } from "../Sextant.ts"
import type { EvidenceSource } from "../Wire.ts"

export interface Routed extends Pick<Choice, "recommendationId" | "source" | "reason" | "detail"> {
  /** Sextant's id of the model that gave the answer. */
  readonly modelId: string
}

/** An answer's routing is stored under a symbol, which JSON omits and copies of the answer keep. */
const key = Symbol.for("sextant-client")
const routedBy = new WeakMap<object, Routed>()

/** Stores a routing under the response, and under the abort signal of the helper that sent it. */
export const rememberRouted = (routed: Routed, response: Response, signal?: AbortSignal | null): void => {
  routedBy.set(response, routed)
  if (signal) routedBy.set(signal, routed)
}

export const marked = <A>(answer: A, response: Response): A => {
  const value = routedBy.get(response)
  if (value === undefined || typeof answer !== "object" || answer === null) return answer
  const property = { value, enumerable: true, configurable: true }
  return attempt(() => Object.defineProperty(answer, key, property), answer)
}

/**
 * Returns the routing of an answer, a stream, a raw response, or a helper's last request. Returns null if
 * Sextant did not route the answer.
 */
export const sextantOf = (answer: object): Routed | null => {
  // `Object(answer)` prevents an error if a JavaScript program passes null or undefined.
  const { [key]: routed, controller } = Object(answer) as {
    readonly [key]?: Routed
    readonly controller?: AbortController
  }
  return routed ?? routedBy.get(answer) ?? routedBy.get(Object(controller).signal) ?? null
}

export interface AnswerSextant<Id extends string> extends Omit<Sextant<Id>, "score"> {
  /** Reports a verdict on an answer, a stream, a helper, a choice, or the id of a recommendation. */
  readonly score: (
    answer: object | string,
    quality: number | boolean | null,
    source?: EvidenceSource,
    options?: ScoreOptions
  ) => boolean
}

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
