/** Vectors of single texts: remembered, shared by callers of the same text, and requested in batches. */
import { Cache, Duration, Effect, Exit, type Option, Request, RequestResolver } from "effect"
import * as Reason from "../../resilience/FailureReason.ts"
import { EmbedderUnavailable } from "../Embedder.ts"
import type { EmbedderSettings } from "../EmbedderSettings.ts"

/** Vectors of the texts, in their order; null for a text that the endpoint refuses. */
type EmbedTexts = (
  texts: ReadonlyArray<string>
) => Effect.Effect<ReadonlyArray<Float32Array | null>, EmbedderUnavailable>

class VectorRequest extends Request.TaggedClass("VectorRequest")<
  { readonly text: string },
  Float32Array,
  EmbedderUnavailable
> {}

const resolverOf = (embedTexts: EmbedTexts, { batchMax, gatherMs }: EmbedderSettings) =>
  RequestResolver.make<VectorRequest>((entries) =>
    Effect.matchEffect(embedTexts(entries.map(({ request }) => request.text)), {
      onFailure: (error) =>
        Effect.sync(() => entries.forEach((entry) => entry.completeUnsafe(Exit.fail(error)))),
      onSuccess: (vectors) =>
        Effect.sync(() => entries.forEach((entry, at) => {
          const vector = vectors[at] ?? null
          entry.completeUnsafe(vector === null
            ? Exit.fail(new EmbedderUnavailable({ reason: new Reason.Rejected({}) }))
            : Exit.succeed(vector))
        }))
    })
  ).pipe(RequestResolver.setDelay(gatherMs), RequestResolver.batchN(batchMax))

export interface VectorCache {
  /** The vector under the digest, where it is remembered. */
  readonly remembered: (digest: string) => Effect.Effect<Option.Option<Float32Array>>
  /** The vector of a text, whose digest it is remembered under. */
  readonly vectorOf: (digest: string, text: string) => Effect.Effect<Float32Array, EmbedderUnavailable>
}

/** A cache of `settings.rememberedMax` vectors; failures are not remembered. */
export const makeVectorCache = Effect.fnUntraced(function*(
  embedTexts: EmbedTexts,
  settings: EmbedderSettings
): Effect.fn.Return<VectorCache> {
  const resolver = resolverOf(embedTexts, settings)
  /** Texts of requests in progress, by digest: the cache itself keeps only digests and vectors. */
  const requested = new Map<string, string>()
  const vectors = yield* Cache.makeWith(
    (digest: string) =>
      Effect.suspend(() => {
        const text = requested.get(digest)
        return text === undefined
          ? new EmbedderUnavailable({ reason: new Reason.NotSent({ cause: "its caller has gone" }) })
          : Effect.request(new VectorRequest({ text }), resolver)
      }),
    { capacity: settings.rememberedMax, timeToLive: (exit) => Exit.isSuccess(exit) ? Duration.infinity : 0 }
  )
  return {
    remembered: (digest) => Cache.getSuccess(vectors, digest),
    vectorOf: (digest, text) =>
      Effect.suspend(() => {
        requested.set(digest, text)
        return Effect.ensuring(Cache.get(vectors, digest), Effect.sync(() => requested.delete(digest)))
      })
  }
})
