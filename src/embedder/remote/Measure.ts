/** Measures an endpoint before its first use: the form of requests, and the cosine of unrelated texts. */
import { Deferred, Effect, Schedule } from "effect"
import * as Reason from "../../resilience/FailureReason.ts"
import { EmbedderUnavailable } from "../Embedder.ts"
import type { EmbedderSettings } from "../EmbedderSettings.ts"
import type { EmbeddingsClient } from "./EmbeddingsClient.ts"

/** Unrelated texts, whose mean cosine over all pairs is the endpoint's floor. */
const unrelated = [
  "Write a Python function that parses ISO dates", "Translate this menu into French",
  "A poem about the sea at night", "Which invoice has not been paid?", "Summarize the minutes of the meeting",
  "Why do leaves turn red in autumn?", "Extract the names of all companies", "The train leaves at seven",
  "Prove that there are infinitely many primes", "Is this review positive or negative?",
  "Plan a week of meals without meat", "The server returned an unexpected error"
]

export interface Measured {
  /** Mean cosine of unrelated texts with this endpoint, or 0 if that is negative. */
  readonly floor: number
  /** True if the endpoint accepts requests with the field `dimensions`. */
  readonly sendsDimensions: boolean
}

/** Returns true if the endpoint refused what the request contains. */
export const isOfText = ({ reason }: EmbedderUnavailable): boolean => reason._tag === "Rejected"

/** Calculates the mean cosine of all pairs of unit vectors, in [-1, 1]. */
const meanCosine = (vectors: ReadonlyArray<Float32Array>): number => {
  let [sum, count] = [0, 0]
  vectors.forEach((one, i) => {
    for (const other of vectors.slice(i + 1)) {
      sum += one.reduce((dot, coordinate, at) => dot + coordinate * other[at]!, 0)
      count++
    }
  })
  return sum / count
}

const measureOnce = Effect.fnUntraced(function*(
  { ask }: EmbeddingsClient,
  settings: EmbedderSettings,
  sendsDimensions: boolean
): Effect.fn.Return<Measured, EmbedderUnavailable> {
  const vectors = yield* ask(unrelated, { sendsDimensions, withinMs: settings.backgroundMs })
  const floor = Math.max(0, meanCosine(vectors))
  if (floor > settings.floorMax) {
    const reason = new Reason.Unreachable({ cause: "the vectors of unrelated texts are alike" })
    return yield* new EmbedderUnavailable({ reason })
  }
  return { floor, sendsDimensions }
})

/** Measures an endpoint, and tries again after a pause until that succeeds. */
export const measure = (
  client: EmbeddingsClient,
  settings: EmbedderSettings,
  measured: Deferred.Deferred<Measured>
): Effect.Effect<boolean, EmbedderUnavailable> =>
  Effect.suspend(() => {
    // Only the first failure is a warning, because measuring is tried again every few seconds.
    let isWarned = false
    const warn = ({ message }: EmbedderUnavailable) => {
      const log = isWarned ? Effect.logDebug : Effect.logWarning
      isWarned = true
      return log("The embeddings endpoint cannot be used yet; texts are compared by their words", {
        cause: message
      })
    }
    return measureOnce(client, settings, true).pipe(
      Effect.catchIf(isOfText, () => measureOnce(client, settings, false)),
      Effect.tapError(warn),
      Effect.retry(Schedule.min([
        Schedule.exponential(settings.measureMs),
        Schedule.spaced(settings.measureMsMax)
      ])),
      Effect.flatMap((found) => Deferred.succeed(measured, found))
    )
  })
