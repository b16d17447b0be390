import { Effect, Layer } from "effect"
import { type Measurement, Memory, type Neighbour, type RecallQuery } from "../Memory.ts"
import { MemoryClient } from "./MemoryClient.ts"

type Numbers = Pick<RecallQuery, "modelIds" | "perModel">

/** Whether one more of a model was asked for. */
const roomOf = ({ modelIds, perModel }: Numbers) => {
  const left = new Map(modelIds.map((modelId) => [modelId, perModel]))
  return (modelId: string): boolean => {
    const room = left.get(modelId) ?? 0
    left.set(modelId, room - 1)
    return room > 0
  }
}

/** Only what was asked for: models of the query, each entry once, each model up to its number. */
const asked = (neighbours: ReadonlyArray<Neighbour>, numbers: Numbers): ReadonlyArray<Neighbour> => {
  const hasRoom = roomOf(numbers)
  const seen = new Set<string>()
  return neighbours.filter(({ entryId, modelId }) => {
    if (seen.has(entryId) || !hasRoom(modelId)) return false
    seen.add(entryId)
    return true
  })
}

const askedOf = (measurements: ReadonlyArray<Measurement>, numbers: Numbers): ReadonlyArray<Measurement> => {
  const hasRoom = roomOf(numbers)
  return measurements.filter(({ modelId }) => hasRoom(modelId))
}

/** What an observation may leave out. */
const untold = { revision: 0, verdictRevision: 0, isCostOutlier: false }

const make = Effect.gen(function*() {
  const { ask, endpoint } = yield* MemoryClient
  return Memory.of({
    recall: ({ caller: { key }, ...query }) =>
      ask(key, (api) => api.recall({ payload: query })).pipe(
        Effect.map(({ measurements, neighbours, tallies, ...lane }) => ({
          ...lane,
          neighbours: asked(neighbours, query),
          measurements: askedOf(measurements, query),
          tallies: new Map(tallies.map(({ modelId, ...sums }) => [modelId, sums]))
        }))
      ),
    teach: ({ caller: { key }, ...observation }, teaches) =>
      ask(key, (api) => api.teach({ payload: { ...untold, ...observation, teaches } })),
    reinforce: ({ caller: { key }, reinforcementId = null, revision = 0, ...reinforcement }) =>
      ask(key, (api) => api.reinforce({ payload: { ...reinforcement, reinforcementId, revision } })),
    recordSteps: ({ caller: { key }, ...rewards }) =>
      Effect.map(ask(key, (api) => api.recordSteps({ payload: rewards })), ({ recorded }) => recorded),
    promote: ({ caller: { key }, errorText = null, revision = 0, userId = null, ...lesson }) =>
      Effect.asVoid(ask(key, (api) =>
        api.promote({ payload: { ...lesson, errorText, revision, userId } }))),
    strategies: ({ caller: { key }, ...query }) =>
      Effect.map(ask(key, (api) => api.strategies({ payload: query })), ({ strategies }) => strategies),
    diagnose: ({ caller: { key }, ...query }) =>
      ask(key, (api) => api.diagnose({ payload: query })),
    health: ({ caller: { key }, ...query }) => ask(key, (api) => api.memoryHealth({ payload: query })),
    ping: ({ key }) => Effect.as(ask(key, (api) => api.account({})), { endpoint })
  })
})

/** Memory in an external backend that speaks `MemoryApi`, asked with each caller's own key. */
export const layer: Layer.Layer<Memory, never, MemoryClient> = Layer.effect(Memory, make)
