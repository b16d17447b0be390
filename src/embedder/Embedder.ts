/** Ports: the built-in embedder of texts, and an optional remote embedder. */
import { Context, type Effect } from "effect"
import type { AccountId } from "../domain/Scope.ts"
import { portError } from "../resilience/FailureReason.ts"

/**
 * The failure of a text that could not be embedded; `reason` says why it failed. `Rejected` means that only
 * this text is at fault.
 */
export class EmbedderUnavailable extends portError<EmbedderUnavailable>()("EmbedderUnavailable", {}) {}

/**
 * Turns a text into a unit vector. Vectors of embedders with different values of `identity` are never
 * compared.
 */
export class Embedder extends Context.Service<Embedder, {
  /** Provider, model, dimensions and version in one string. */
  readonly identity: string
  readonly dimensions: number
  readonly embed: (text: string) => Effect.Effect<Float32Array, EmbedderUnavailable>
}>()("sextant/embedder/Embedder") {}

interface Embedded {
  /** A unit vector. */
  readonly vector: Float32Array
  /** Mean cosine of unrelated texts with this embedder, in [0, 1). */
  readonly floor: number
}

/**
 * A remote embedder, which may be unavailable. The service also has the built-in {@link Embedder}, which is
 * always available.
 */
export interface RemoteEmbedder {
  readonly identity: string
  readonly dimensions: number
  /**
   * Embeds a text within a share of the time that a recall may take. Vectors are remembered for each account
   * separately, because a fast answer would reveal the texts of other accounts.
   */
  readonly embed: (accountId: AccountId, text: string) => Effect.Effect<Embedded, EmbedderUnavailable>
  /**
   * Embeds texts in the background. The vectors have the order of the texts, with null for a text that the
   * embedder refused.
   */
  readonly embedAll: (
    texts: ReadonlyArray<string>
  ) => Effect.Effect<ReadonlyArray<Float32Array | null>, EmbedderUnavailable>
}

/** The remote embedder; null if none is configured. */
export const EmbeddingsEndpoint = Context.Reference<RemoteEmbedder | null>(
  "sextant/embedder/Embedder/EmbeddingsEndpoint",
  { defaultValue: () => null }
)
