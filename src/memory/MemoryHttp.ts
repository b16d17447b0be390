import { Effect, Layer } from "effect"
import { excerptOf } from "../domain/Task.ts"
import { type Measurement, Memory, type Neighbour, type RecallQuery } from "./Memory.ts"
import { MemoryClient } from "./MemoryClient.ts"
import { errorTextMax, proseMax, short } from "./Prose.ts"

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

const make = Effect.gen(function*() {
  const { ask, endpoint } = yield* MemoryClient
  return Memory.of({
    recall: ({ caller: { key }, ...query }) =>
      ask(key, (api) => api.recall({ payload: { ...query, task: excerptOf(query.task) } })).pipe(
        Effect.map(({ measurements, neighbours, tallies, ...lane }) => ({
          ...lane,
          neighbours: asked(neighbours, query),
          measurements: askedOf(measurements, query),
          tallies: new Map(tallies.map(({ modelId, ...sums }) => [modelId, sums]))
        }))
      ),
    teach: ({ caller: { key }, ...observation }, teaches) =>
      ask(key, (api) =>
        api.teach({ payload: { ...observation, task: excerptOf(observation.task), teaches } })),
    reinforce: ({ caller: { key }, reinforcementId = null, ...reinforcement }) =>
      ask(key, (api) => api.reinforce({ payload: { ...reinforcement, reinforcementId } })),
    recordSteps: ({ caller: { key }, steps, ...rewards }) => {
      const kept = steps.map((step) => ({
        ...step,
        stepName: short(step.stepName, proseMax),
        rationale: short(step.rationale, proseMax),
        directiveHint: short(step.directiveHint, proseMax)
      }))
      return Effect.map(
        ask(key, (api) => api.recordSteps({ payload: { ...rewards, steps: kept } })),
        ({ recorded }) => recorded
      )
    },
    promote: ({ caller: { key }, errorText = null, userId = null, ...lesson }) =>
      Effect.asVoid(ask(key, (api) =>
        api.promote({ payload: { ...lesson, errorText: short(errorText, errorTextMax), userId } }))),
    strategies: ({ caller: { key }, ...query }) =>
      Effect.map(ask(key, (api) => api.strategies({ payload: query })), ({ strategies }) => strategies),
    diagnose: ({ caller: { key }, ...query }) =>
      ask(key, (api) =>
        api.diagnose({ payload: { ...query, errorText: short(query.errorText, errorTextMax) ?? "" } })),
    health: ({ caller: { key }, ...query }) => ask(key, (api) => api.memoryHealth({ payload: query })),
    ping: ({ key }) => Effect.as(ask(key, (api) => api.account({})), { endpoint })
  })
})

/** Memory in an external backend that speaks `MemoryApi`, asked with each caller's own key. */
export const layer: Layer.Layer<Memory, never, MemoryClient> = Layer.effect(Memory, make)
