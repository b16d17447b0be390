/** Ports: the built-in embedder of texts, and an optional remote embedder. */
import { Context, type Effect } from "effect"
import type { AccountId } from "../domain/Scope.ts"
import { portError } from "../resilience/FailureReason.ts"

/** A text could not be embedded; `reason` says why. `Rejected` means that only this text is at fault. */
export class EmbedderUnavailable extends portError<EmbedderUnavailable>()("EmbedderUnavailable", {}) {}

/** Turns a text into a unit vector. Vectors of embedders with different `identity` are never compared. */
export class Embedder extends Context.Service<Embedder, {
  /** Provider, model, dimensions and version in one string. */
  readonly identity: string
  readonly dimensions: number
  readonly embed: (text: string) => Effect.Effect<Float32Array, EmbedderUnavailable>
}>()("sextant/embedder/Embedder") {}

interface Embedded {
  /** A unit vector. */
  readonly vector: Float32Array
  /** Mean cosine of unrelated texts, in [0, 1). */
  readonly floor: number
}

/** A remote embedder, which may be unavailable. The service always has the built-in {@link Embedder}, too. */
export interface RemoteEmbedder {
  readonly identity: string
  readonly dimensions: number
  /**
   * Embeds a text within a share of a recall's time. Vectors are remembered for each account separately,
   * because a fast answer would reveal the texts of other accounts.
   */
  readonly embed: (accountId: AccountId, text: string) => Effect.Effect<Embedded, EmbedderUnavailable>
  /** Embeds texts in the background. Vectors are in the order of the texts; a refused text has null. */
  readonly embedAll: (
    texts: ReadonlyArray<string>
  ) => Effect.Effect<ReadonlyArray<Float32Array | null>, EmbedderUnavailable>
}

/** The remote embedder; null if none is configured. */
export const EmbeddingsEndpoint = Context.Reference<RemoteEmbedder | null>(
  "sextant/embedder/Embedder/EmbeddingsEndpoint",
  { defaultValue: () => null }
)
