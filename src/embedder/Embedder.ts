/** Ports: the built-in embedder of texts, and an optional remote embedder. */
import { Context, type Effect } from "effect"
import type { AccountId } from "../domain/Scope.ts"
import { portError } from "../resilience/FailureReason.ts"

/** The failure to embed texts. `Rejected` means that the embedder refuses what the request contains. */
export class EmbedderUnavailable extends portError<EmbedderUnavailable>()("EmbedderUnavailable", {}) {}

/** Turns texts into vectors. Vectors of embedders with different `identity` are never compared. */
export class Embedder extends Context.Service<Embedder, {
  /** The identity names the embedder and its number of dimensions. */
  readonly identity: string
  readonly dimensions: number
  readonly embed: (text: string) => Effect.Effect<Float32Array, EmbedderUnavailable>
}>()("sextant/embedder/Embedder") {}

interface Embedded {
  readonly vector: Float32Array
  /** Mean cosine of unrelated texts with this embedder, or 0 if that is negative. */
  readonly floor: number
}

export interface RemoteEmbedder {
  readonly identity: string
  readonly dimensions: number
  /**
   * Embeds a text; fails if that takes too long. Vectors are remembered for each account separately, because
   * a fast answer would reveal the texts of other accounts.
   */
  readonly embed: (accountId: AccountId, text: string) => Effect.Effect<Embedded, EmbedderUnavailable>
  /** The vectors have the order of the texts, with null for a text that the embedder refused. */
  readonly embedAll: (
    texts: ReadonlyArray<string>
  ) => Effect.Effect<ReadonlyArray<Float32Array | null>, EmbedderUnavailable>
}

/** The remote embedder; null if none is configured. */
export const EmbeddingsEndpoint = Context.Reference<RemoteEmbedder | null>(
  "sextant/embedder/Embedder/EmbeddingsEndpoint",
  { defaultValue: () => null }
)
