import { Context, type Effect, Schema } from "effect"

export class EmbedderUnavailable extends Schema.TaggedError<EmbedderUnavailable>()("EmbedderUnavailable", {
  cause: Schema.Defect()
}) {}

/** Text to a unit vector. Vectors of different `identity` are never compared. */
export class Embedder extends Context.Service<Embedder, {
  /** Provider, model, dimensions and version in one string. */
  readonly identity: string
  readonly dimensions: number
  readonly embed: (text: string) => Effect.Effect<Float32Array, EmbedderUnavailable>
}>()("sextant/memory/Embedder") {}
