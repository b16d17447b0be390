/** Ports: the built-in embedder of texts, and an optional remote one beside it. */
import { Context, type Effect } from "effect"
import type { AccountId } from "../domain/Scope.ts"
import { portError } from "../resilience/FailureReason.ts"

/** A text has no vector; `reason` says why. `Rejected` blames this text alone. */
export class EmbedderUnavailable extends portError<EmbedderUnavailable>()("EmbedderUnavailable", {}) {}

/** Text to a unit vector. Vectors of different `identity` are never compared. */
export class Embedder extends Context.Service<Embedder, {
  /** Provider, model, dimensions and version in one string. */
  readonly identity: string
  readonly dimensions: number
  readonly embed: (text: string) => Effect.Effect<Float32Array, EmbedderUnavailable>
}>()("sextant/embedder/Embedder") {}

/** A text's unit vector, and the floor of its cosines. */
interface Embedded {
  readonly vector: Float32Array
  /** Mean cosine of unrelated texts, in [0, 1). */
  readonly floor: number
}

/** A remote embedder. It may be unavailable, and is therefore only used beside {@link Embedder}. */
export interface RemoteEmbedder {
  readonly identity: string
  readonly dimensions: number
  /**
   * Embeds a text within a share of a recall's time. Equal texts of one account are sent once while their
   * vector is remembered; across accounts, the time of an answer would reveal texts of others.
   */
  readonly embed: (accountId: AccountId, text: string) => Effect.Effect<Embedded, EmbedderUnavailable>
  /** Embeds texts in the background, in their order; null for a text that the endpoint refuses. */
  readonly embedAll: (
    texts: ReadonlyArray<string>
  ) => Effect.Effect<ReadonlyArray<Float32Array | null>, EmbedderUnavailable>
}

/** Null unless an endpoint is configured. */
export const EmbeddingsEndpoint = Context.Reference<RemoteEmbedder | null>(
  "sextant/embedder/Embedder/EmbeddingsEndpoint",
  { defaultValue: () => null }
)
