/** Driver of {@link Memory}: a remote memory with the protocol `MemoryApi`. */
import { Effect, Layer } from "effect"
import type { AccountId } from "../../domain/Scope.ts"
import { Memory, type RecallQuery } from "../Memory.ts"
import type { Measurement, Neighbour } from "../Neighbour.ts"
import { Neighbours } from "../Neighbours.ts"
import { remoteWrites } from "../WriteSteps.ts"
import { keyFor } from "./MemoryBackend.ts"
import { type MemoryApiClient, MemoryClient } from "./MemoryClient.ts"

type Numbers = Pick<RecallQuery, "modelIds" | "perModel">

/** Makes a filter that accepts at most `perModel` items of each requested model. */
const roomOf = ({ modelIds, perModel }: Numbers) => {
  const left = new Map(modelIds.map((modelId) => [modelId, perModel]))
  return (modelId: string): boolean => {
    const room = left.get(modelId) ?? 0
    left.set(modelId, room - 1)
    return room > 0
  }
}

/** Drops repeated neighbours, neighbours of models not requested, and more than `perModel` of a model. */
const requestedNeighbours = (
  neighbours: ReadonlyArray<Neighbour>,
  numbers: Numbers
): ReadonlyArray<Neighbour> => {
  const hasRoom = roomOf(numbers)
  const seen = new Set<string>()
  return neighbours.filter(({ entryId, modelId }) => {
    if (seen.has(entryId) || !hasRoom(modelId)) return false
    seen.add(entryId)
    return true
  })
}

const requestedMeasurements = (
  measurements: ReadonlyArray<Measurement>,
  numbers: Numbers
): ReadonlyArray<Measurement> => {
  const hasRoom = roomOf(numbers)
  return measurements.filter(({ modelId }) => hasRoom(modelId))
}

const make = Effect.gen(function*() {
  const { ask: askWith, endpoint } = yield* MemoryClient
  const ask = <A, E>(accountId: AccountId, request: (api: MemoryApiClient) => Effect.Effect<A, E>) =>
    Effect.flatMap(keyFor(accountId), (key) => askWith(key, request))
  return Memory.of({
    knownModels: () => new Map(),
    recall: ({ accountId, restarts, ...query }) =>
      ask(accountId, (api) => api.recall({ payload: { ...query, restarts: [...restarts] } })).pipe(
        Effect.map(({ measurements, neighbours, tallies, ...lane }) => ({
          ...lane,
          neighbours: Neighbours.of(requestedNeighbours(neighbours, query)),
          measurements: Neighbours.ofMeasurements(requestedMeasurements(measurements, query)),
          tallies: new Map(tallies.map(({ modelId, ...sums }) => [modelId, sums]))
        }))
      ),
    ...remoteWrites({
      teach: ({ accountId, ...payload }) => ask(accountId, (api) => api.teach({ payload })),
      reinforce: ({ accountId, ...payload }) => ask(accountId, (api) => api.reinforce({ payload })),
      recordSteps: ({ accountId, ...payload }) =>
        Effect.map(ask(accountId, (api) => api.recordSteps({ payload })), ({ recorded }) => recorded),
      promote: ({ accountId, ...payload }) =>
        Effect.asVoid(ask(accountId, (api) => api.promote({ payload })))
    }),
    strategies: ({ accountId, ...query }) =>
      Effect.map(ask(accountId, (api) => api.strategies({ payload: query })), ({ strategies }) => strategies),
    diagnose: ({ accountId, ...query }) =>
      ask(accountId, (api) => api.diagnose({ payload: query })),
    health: ({ accountId, ...query }) => ask(accountId, (api) => api.memoryHealth({ payload: query })),
    ping: (accountId) => Effect.as(ask(accountId, (api) => api.account({})), { endpoint })
  })
})

/** A remote memory. Each request to this memory uses the caller's own API key. */
export const layer: Layer.Layer<Memory, never, MemoryClient> = Layer.effect(Memory, make)
