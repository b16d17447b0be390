/* Which spans carry a recommendation, and which evaluations came before the end of the span they are of. */
import { remember } from "../Remembered.ts"
import type { Attributes } from "./Shapes.ts"

/** A call, or what stands around one, that an evaluation may be about. */
export interface Known {
  /** What is one and the same in all reports on it. */
  readonly key: string
  readonly recommendationId: string
  readonly modelId: string | undefined
}

/** Spans and responses that are remembered, and evaluations that wait for one span, count. */
const rememberedMax = 10_000
const waitingMax = 100

export interface Memory {
  /** Remembers a call by the id of its span or its response. */
  readonly add: (id: string | undefined, one: Known) => void
  /** The first that is remembered. */
  readonly find: (...ids: ReadonlyArray<string | undefined>) => Known | undefined
  /** Lets an evaluation wait for the end of its span; false if too many do. */
  readonly wait: (spanId: string, evaluation: Attributes) => boolean
  /** The evaluations that waited for a span. */
  readonly arrive: (spanId: string) => ReadonlyArray<Attributes>
  /** All evaluations that wait still. */
  readonly left: () => ReadonlyArray<Attributes>
  /** Notes that a call of the recommendation was reported below a span. */
  readonly reportedBelow: (spanId: string | undefined, recommendationId: string) => void
  readonly isReportedBelow: (spanId: string, recommendationId: string) => boolean
}

export const createMemory = (): Memory => {
  const known = new Map<string, Known>()
  const waiting = new Map<string, ReadonlyArray<Attributes>>()
  const reported = new Map<string, string>()
  return {
    add: (id, one) => {
      if (id !== undefined) remember(known, id, one, rememberedMax)
    },
    find: (...ids) => ids.map((id) => known.get(id ?? "")).find((one) => one !== undefined),
    wait: (spanId, evaluation) => {
      const before = waiting.get(spanId) ?? []
      if (before.length === waitingMax) return false
      remember(waiting, spanId, [...before, evaluation], rememberedMax)
      return true
    },
    arrive: (spanId) => {
      const evaluations = waiting.get(spanId) ?? []
      waiting.delete(spanId)
      return evaluations
    },
    left: () => [...waiting.values()].flat(),
    reportedBelow: (spanId, recommendationId) => {
      if (spanId !== undefined) remember(reported, spanId, recommendationId, rememberedMax)
    },
    isReportedBelow: (spanId, recommendationId) => reported.get(spanId) === recommendationId
  }
}
