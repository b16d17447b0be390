import { Context, type Effect, Schema } from "effect"
import type { AccountId } from "../domain/Scope.ts"
import { FailureReason } from "../resilience/FailureReason.ts"

/** A text has no vector; `reason` says why. `Rejected` blames this text alone. */
export class EmbedderUnavailable extends Schema.TaggedError<EmbedderUnavailable>()("EmbedderUnavailable", {
  reason: FailureReason
}) {
  override readonly cause = this.reason
  override get message() {
    return this.reason.message
  }
  /** Whether repeating the same call later may succeed. */
  get isRetryable(): boolean {
    return this.reason.isRetryable
  }
}

/** Text to a unit vector. Vectors of different `identity` are never compared. */
export class Embedder extends Context.Service<Embedder, {
  /** Provider, model, dimensions and version in one string. */
  readonly identity: string
  readonly dimensions: number
  readonly embed: (text: string) => Effect.Effect<Float32Array, EmbedderUnavailable>
}>()("sextant/embedder/Embedder") {}

/** A text's unit vector, and what is to be known of the cosines that it will have. */
export interface Embedded {
  readonly vector: Float32Array
  /** Mean cosine of texts that have nothing in common, in [0, 1). */
  readonly floor: number
}

/** An embedder elsewhere. It may be out, so it only ever stands beside {@link Embedder}. */
export interface RemoteEmbedder {
  readonly identity: string
  readonly dimensions: number
  /**
   * Within a share of the recall budget. Alike texts of an account are asked about once, now and while they
   * are remembered; across accounts an answer's time would tell what others ask.
   */
  readonly embed: (accountId: AccountId, text: string) => Effect.Effect<Embedded, EmbedderUnavailable>
  /** In the background, with patience; null for a text that the endpoint refuses. */
  readonly embedAll: (
    texts: ReadonlyArray<string>
  ) => Effect.Effect<ReadonlyArray<Float32Array | null>, EmbedderUnavailable>
}

/** Null unless an endpoint is configured. */
export const EmbeddingsEndpoint = Context.Reference<RemoteEmbedder | null>(
  "sextant/embedder/Embedder/EmbeddingsEndpoint",
  { defaultValue: () => null }
)
