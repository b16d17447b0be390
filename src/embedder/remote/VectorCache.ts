/** Remembers vectors, shares them between callers, and requests them in batches. */
import { type Context, Effect, Exit, Request, RequestResolver, type Scope } from "effect"
import { monotonicMs } from "../../domain/Time.ts"
import * as Reason from "../../resilience/FailureReason.ts"
import { makeReadCache } from "../../resilience/ReadCache.ts"
import { EmbedderUnavailable } from "../Embedder.ts"
import type { EmbedderSettings } from "../EmbedderSettings.ts"

/** The vectors have the order of the texts, with null for a text that was refused. */
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
  readonly remembered: (digest: string) => Effect.Effect<Float32Array | undefined>
  /** If the caller stops waiting, the request continues. */
  readonly vectorOf: (digest: string, text: string) => Effect.Effect<Float32Array, EmbedderUnavailable>
}

/** Failures are not remembered. */
export const makeVectorCache = Effect.fnUntraced(function*(
  embedTexts: EmbedTexts,
  settings: EmbedderSettings
): Effect.fn.Return<VectorCache, never, Scope.Scope> {
  const resolver = resolverOf(embedTexts, settings)
  const services = yield* Effect.context<never>()
  const vectors = yield* makeReadCache<Float32Array, EmbedderUnavailable>({
    capacity: settings.rememberedMax,
    keepsUsed: true,
    freshMs: Infinity,
    pauseMs: 0,
    isLoad: false
  })
  return {
    remembered: (digest) => Effect.map(monotonicMs, (nowMs) => vectors.fresh(digest, nowMs)),
    vectorOf: (digest, text) =>
      // The request runs with the layer's services, because it may serve callers of several traces.
      vectors.read(digest, () =>
        Effect.request(new VectorRequest({ text }), resolver).pipe(
          Effect.updateContext((_: Context.Context<never>) => services)
        ))
  }
})
