/** Driver of {@link EmbeddingsEndpoint}: an OpenAI-compatible embeddings endpoint over HTTP. */
import { Deferred, Effect, Layer } from "effect"
import { HttpClient } from "effect/http"
import { createHash } from "node:crypto"
import type { AccountId } from "../../domain/Scope.ts"
import { excerptOf } from "../../domain/Task.ts"
import { makeCircuitBreaker } from "../../resilience/CircuitBreaker.ts"
import { deadline } from "../../resilience/Deadline.ts"
import * as Reason from "../../resilience/FailureReason.ts"
import { transport } from "../../resilience/HttpTransport.ts"
import { EmbedderUnavailable, EmbeddingsEndpoint } from "../Embedder.ts"
import { type EmbedderSettings, embedderSettings } from "../EmbedderSettings.ts"
import { type EmbedderOptions, makeEmbeddingsClient } from "./EmbeddingsClient.ts"
import { isOfText, measure, type Measured } from "./Measure.ts"
import { makeVectorCache } from "./VectorCache.ts"

/** Maximum number of requests at the same time when the texts of a refused batch are sent one by one. */
const singlesAtOnce = 4

const isOutage = ({ reason }: EmbedderUnavailable): boolean =>
  reason._tag !== "Rejected" && reason._tag !== "NotSent"

/** Accounts share no vectors, because a fast answer would reveal another account's texts. */
const digestOf = (accountId: AccountId, excerpt: string): string =>
  createHash("sha256").update(`${accountId}\n${excerpt}`).digest("base64")

const make = Effect.fnUntraced(function*(options: EmbedderOptions, settings: EmbedderSettings) {
  const client = makeEmbeddingsClient(yield* HttpClient.HttpClient, options, settings)
  const breaker = makeCircuitBreaker(settings.breaker)
  const measured = yield* Deferred.make<Measured>()
  yield* Effect.forkScoped(measure(client, settings, measured))

  /** If a batch is refused, each text is sent alone, so that only refused texts have no vector. */
  const embedTexts = (
    texts: ReadonlyArray<string>,
    withinMs: number
  ): Effect.Effect<ReadonlyArray<Float32Array | null>, EmbedderUnavailable> =>
    Effect.flatMap(Deferred.await(measured), ({ sendsDimensions }) =>
      client.ask(texts, { sendsDimensions, withinMs }).pipe(
        Effect.catchIf(isOfText, () =>
          texts.length <= 1
            ? Effect.succeed([null])
            : Effect.map(
              Effect.forEach(texts, (text) => embedTexts([text], withinMs), { concurrency: singlesAtOnce }),
              (vectors) => vectors.flat()
            ))
      ))
  const { remembered, vectorOf } = yield* makeVectorCache(
    (texts) => embedTexts(texts, settings.requestTimeoutMs),
    settings
  )

  const late = () => new EmbedderUnavailable({ reason: new Reason.TimedOut({ limitMs: settings.waitMs }) })
  const ask = (digest: string, excerpt: string) =>
    breaker.run(
      // Texts are queued only after the endpoint was measured, so that a dead endpoint gets no queue.
      Effect.andThen(Deferred.await(measured), vectorOf(digest, excerpt)).pipe(
        deadline(settings.waitMs, late)
      ),
      isOutage
    ).pipe(
      Effect.catchTag("BreakerOpen", (cause) => {
        const reason = new Reason.NotSent({ cause, retryAfterMs: cause.retryAfterMs })
        return Effect.fail(new EmbedderUnavailable({ reason }))
      })
    )

  return EmbeddingsEndpoint.of({
    identity: `${options.url.host}/${options.model}/${options.dimensions}`,
    dimensions: options.dimensions,
    embed: Effect.fnUntraced(function*(accountId, text) {
      const excerpt = excerptOf(text)
      const digest = digestOf(accountId, excerpt)
      const known = yield* remembered(digest)
      const vector = known ?? (yield* ask(digest, excerpt))
      // Reading `measured` does not wait, because a vector exists only after the measurement.
      const { floor } = yield* Deferred.await(measured)
      return { vector, floor }
    }),
    embedAll: (texts) => embedTexts(texts.map(excerptOf), settings.backgroundMs)
  })
})

/** Until the endpoint has been measured, `embed` fails after a wait, and `embedAll` waits. */
export const layer = (
  options: EmbedderOptions,
  settings: EmbedderSettings = embedderSettings
): Layer.Layer<never> =>
  Layer.effect(EmbeddingsEndpoint, make(options, settings)).pipe(Layer.provide(transport(settings)))
