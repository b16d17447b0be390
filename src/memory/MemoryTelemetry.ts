/* Adds spans and durations to a memory and an embedder. */
import { Effect, Layer } from "effect"
import { Embedder } from "../embedder/Embedder.ts"
import { meters, timed } from "../telemetry/Metrics.ts"
import { attribute, operation } from "../telemetry/SemanticConventions.ts"
import { Memory } from "./Memory.ts"

type Around = <A, E, R>(self: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>

const observed = (
  name: string,
  attributes: Readonly<Record<string, unknown>>,
  ...measures: ReadonlyArray<Around>
): Around =>
  <A, E, R>(self: Effect.Effect<A, E, R>) =>
    measures.reduce<Effect.Effect<A, E, R>>((inner, measure) => measure(inner), self).pipe(
      Effect.withSpan(name, { attributes, kind: "client" }, { captureStackTrace: false })
    )

/** @param source the kind of memory in one word */
const observeMemory = (inner: Memory["Service"], source: string): Memory["Service"] => {
  const around = (name: string) =>
    observed(`Memory.${name}`, { [attribute.memoryOperation]: name },
      timed(meters.memory, { [attribute.memoryOperation]: name }))
  // Of memory's calls, the semantic conventions name only the recall, which they call retrieval.
  const recall = observed(
    `${operation.retrieval} ${source}`,
    {
      [attribute.genAiOperation]: operation.retrieval,
      [attribute.genAiDataSource]: source,
      [attribute.memoryOperation]: "recall"
    },
    timed(meters.memory, { [attribute.memoryOperation]: "recall" }),
    timed(meters.genAi, {
      [attribute.genAiOperation]: operation.retrieval,
      [attribute.genAiProvider]: "sextant",
      [attribute.genAiModel]: source
    })
  )
  const writes = {
    teach: around("teach"),
    reinforce: around("reinforce"),
    recordSteps: around("recordSteps"),
    promote: around("promote")
  }
  const [strategies, diagnose, health] =
    [around("strategies"), around("diagnose"), around("health")] as const
  return Memory.of({
    ...inner,
    recall: (query) => recall(inner.recall(query)),
    // All writes are stored together, so each write is recorded with the duration of all writes.
    store: (accountId, each) =>
      each.reduce((stored, { kind }) => writes[kind](stored), inner.store(accountId, each)),
    write: (write) => writes[write.kind](inner.write(write)),
    strategies: (query) => strategies(inner.strategies(query)),
    diagnose: (query) => diagnose(inner.diagnose(query)),
    health: (query) => health(inner.health(query))
  })
}

export const memory =
  (source: string) => <E, R>(self: Layer.Layer<Memory, E, R>): Layer.Layer<Memory, E, R> =>
    Layer.effect(Memory, Effect.map(Memory, (inner) => observeMemory(inner, source))).pipe(
      Layer.provide(self)
    )

const observeEmbedder = (inner: Embedder["Service"]): Embedder["Service"] => {
  // The embedder's identity begins with provider and model.
  const [provider = "", model = ""] = inner.identity.split("/")
  const named = {
    [attribute.genAiOperation]: operation.embeddings,
    [attribute.genAiProvider]: provider,
    [attribute.genAiModel]: model
  }
  const around = observed(
    `${operation.embeddings} ${model}`,
    { ...named, [attribute.genAiDimensions]: inner.dimensions },
    timed(meters.genAi, named)
  )
  return Embedder.of({ ...inner, embed: (text) => around(inner.embed(text)) })
}

export const withEmbedderTelemetry = <E, R>(self: Layer.Layer<Embedder, E, R>): Layer.Layer<Embedder, E, R> =>
  Layer.effect(Embedder, Effect.map(Embedder, observeEmbedder)).pipe(Layer.provide(self))
