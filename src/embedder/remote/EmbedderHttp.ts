import {
  Cache, Deferred, Duration, Effect, Exit, Fiber, FiberSet, Layer, Option, Request, RequestResolver, Schedule
} from "effect"
import { HttpClient } from "effect/http"
import { createHash } from "node:crypto"
import { makeCircuitBreaker } from "../../resilience/CircuitBreaker.ts"
import { deadline } from "../../resilience/Deadline.ts"
import type { AccountId } from "../../domain/Scope.ts"
import { excerptOf } from "../../domain/Task.ts"
import * as Reason from "../../resilience/FailureReason.ts"
import { EmbedderUnavailable, EmbeddingsEndpoint } from "../Embedder.ts"
import { type EmbedderSettings, embedderSettings } from "../EmbedderSettings.ts"
import { type EmbedderOptions, makeEmbeddingsClient } from "./EmbeddingsClient.ts"
import { transport } from "../../resilience/HttpTransport.ts"

/** Nothing in common but their language: the mean cosine of two of them is the endpoint's floor. */
const unrelated = [
  "Write a Python function that parses ISO dates", "Translate this menu into French",
  "A poem about the sea at night", "Which invoice has not been paid?", "Summarize the minutes of the meeting",
  "Why do leaves turn red in autumn?", "Extract the names of all companies", "The train leaves at seven",
  "Prove that there are infinitely many primes", "Is this review positive or negative?",
  "Plan a week of meals without meat", "The server returned an unexpected error"
]

/** What had to be tried out before the endpoint is of use. */
interface Measured {
  readonly floor: number
  /** Whether it takes a length for its vectors; some refuse the very field. */
  readonly sendsDimensions: boolean
}

class Placing extends Request.TaggedClass("Placing")<
  { readonly text: string },
  Float32Array,
  EmbedderUnavailable
> {}

const unavailable = (reason: Reason.FailureReason) => new EmbedderUnavailable({ reason })

/** Whether the failure blames this text alone. */
const isOfText = ({ reason }: EmbedderUnavailable): boolean => reason._tag === "Rejected"

/** Whether the failure speaks against the endpoint. */
const isOutage = ({ reason }: EmbedderUnavailable): boolean =>
  reason._tag !== "Rejected" && reason._tag !== "NotSent"

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

const make = Effect.fnUntraced(function*(options: EmbedderOptions, settings: EmbedderSettings) {
  const { ask } = makeEmbeddingsClient(yield* HttpClient.HttpClient, options, settings)
  const breaker = makeCircuitBreaker(settings.breaker)
  const measured = yield* Deferred.make<Measured>()
  const run = yield* FiberSet.makeRuntime<never, Float32Array, EmbedderUnavailable>()

  const measureWith = Effect.fnUntraced(function*(sendsDimensions: boolean) {
    const vectors = yield* ask(unrelated, { sendsDimensions, withinMs: settings.backgroundMs })
    const floor = Math.max(0, meanCosine(vectors))
    if (floor > settings.floorMax) {
      return yield* unavailable(new Reason.Unreachable({ cause: "all texts look alike to it" }))
    }
    yield* Deferred.succeed(measured, { floor, sendsDimensions })
  })

  // Said once: it is asked again every few seconds for as long as it is out.
  let isSaid = false
  const say = ({ message }: EmbedderUnavailable) => {
    const log = isSaid ? Effect.logDebug : Effect.logWarning
    isSaid = true
    return log("The embeddings endpoint is of no use yet; texts are compared by their words", {
      cause: message
    })
  }

  const measure = measureWith(true).pipe(
    Effect.catchIf(isOfText, () => measureWith(false)),
    Effect.tapError(say),
    Effect.retry(Schedule.min([
      Schedule.exponential(settings.measureMs),
      Schedule.spaced(settings.measureMsMax)
    ]))
  )
  yield* Effect.forkScoped(measure)

  /** Null for a text that is refused when it is asked about alone; the others must not suffer for it. */
  const placeAll = (
    texts: ReadonlyArray<string>,
    withinMs: number
  ): Effect.Effect<ReadonlyArray<Float32Array | null>, EmbedderUnavailable> =>
    Effect.flatMap(Deferred.await(measured), ({ sendsDimensions }) =>
      ask(texts, { sendsDimensions, withinMs }).pipe(
        Effect.catchIf(isOfText, () =>
          texts.length <= 1
            ? Effect.succeed([null])
            : Effect.map(
              Effect.forEach(texts, (text) => placeAll([text], withinMs), { concurrency: 4 }),
              (alone) => alone.flat()
            ))
      ))

  const resolver = RequestResolver.make<Placing>((entries) =>
    Effect.matchEffect(placeAll(entries.map(({ request }) => request.text), settings.patienceMs), {
      onFailure: (error) =>
        Effect.sync(() => entries.forEach((entry) => entry.completeUnsafe(Exit.fail(error)))),
      onSuccess: (vectors) =>
        Effect.sync(() => entries.forEach((entry, at) => {
          const vector = vectors[at]
          entry.completeUnsafe(vector instanceof Float32Array
            ? Exit.succeed(vector)
            : Exit.fail(unavailable(new Reason.Rejected({}))))
        }))
    })
  ).pipe(RequestResolver.setDelay(settings.gatherMs), RequestResolver.batchN(settings.batchMax))

  /** Texts of questions that are about to be asked, by digest: the cache keeps digests and vectors alone. */
  const asking = new Map<string, string>()
  const vectors = yield* Cache.makeWith(
    (digest: string) =>
      Effect.suspend(() => {
        const text = asking.get(digest)
        return text === undefined
          ? unavailable(new Reason.NotSent({ cause: "its caller has gone" }))
          : Effect.request(new Placing({ text }), resolver)
      }),
    { capacity: settings.rememberedMax, timeToLive: (exit) => Exit.isSuccess(exit) ? Duration.infinity : 0 }
  )
  const vectorOf = (digest: string, text: string) =>
    Effect.suspend(() => {
      asking.set(digest, text)
      return Effect.ensuring(Cache.get(vectors, digest), Effect.sync(() => asking.delete(digest)))
    })

  const late = () => unavailable(new Reason.TimedOut({ limitMs: settings.waitMs }))

  return EmbeddingsEndpoint.of({
    identity: `${options.url.host}/${options.model}/${options.dimensions}`,
    dimensions: options.dimensions,
    embed: Effect.fnUntraced(function*(accountId, text) {
      const excerpt = excerptOf(text)
      const key = createHash("sha256").update(`${accountId}\n${excerpt}`).digest("base64")
      const known = yield* Cache.getSuccess(vectors, key)
      const vector = Option.isSome(known) ? known.value : yield* breaker.run(
        // The question is the scope's: it goes on when this asker leaves, and the next finds its answer. It
        // is begun once it can be asked: of an endpoint that never answered, questions would pile up.
        Effect.andThen(
          Deferred.await(measured),
          Effect.suspend(() => Fiber.join(run(vectorOf(key, excerpt))))
        ).pipe(deadline(settings.waitMs, late)),
        isOutage
      ).pipe(
        Effect.catchTag("BreakerOpen", (cause) =>
          Effect.fail(unavailable(new Reason.NotSent({ cause, retryAfterMs: cause.retryAfterMs }))))
      )
      // Nothing was placed before the endpoint was measured.
      const { floor } = yield* Deferred.await(measured)
      return { vector, floor }
    }),
    embedAll: (texts) => placeAll(texts.map(excerptOf), settings.backgroundMs)
  })
})

/**
 * An OpenAI-compatible embeddings endpoint, for {@link EmbeddingsEndpoint}. It follows no redirects, reads
 * answers up to a size, and until the endpoint has first answered every vector fails.
 */
export const layer = (
  options: EmbedderOptions,
  settings: EmbedderSettings = embedderSettings
): Layer.Layer<never> =>
  Layer.effect(EmbeddingsEndpoint, make(options, settings)).pipe(Layer.provide(transport(settings)))
