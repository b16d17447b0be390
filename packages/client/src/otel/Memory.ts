/* Remembers spans that carry a recommendation, and evaluations that came before the end of their span. */
import type { EvidenceSource } from "../index.ts"
import { remember } from "../Remembered.ts"

/** A call, or a span around one, that an evaluation may be about. */
export interface Known {
  /** The same in all reports on this call. */
  readonly key: string
  readonly recommendationId: string
  readonly modelId: string | undefined
}

/** The result of an evaluation by its rule. */
export interface Verdict {
  readonly name: string
  /** From 0 to 1. */
  readonly quality: number
  readonly source: EvidenceSource
  readonly notes: string | undefined
  /** The response that it is about; undefined where its span alone says so. */
  readonly responseId: string | undefined
}

/** Verdicts that wait for the end of a span, count. */
const waitingMax = 1_000

export interface Memory {
  /** Remembers a call by the id of its span or its response. */
  readonly add: (id: string | undefined, one: Known) => void
  /** The first that is remembered. */
  readonly find: (...ids: ReadonlyArray<string | undefined>) => Known | undefined
  /** Lets a verdict wait for the end of its span. If too many wait, it yields the oldest. */
  readonly wait: (spanId: string, verdict: Verdict) => ReadonlyArray<Verdict>
  /** The verdicts that waited for a span, and wait no longer. */
  readonly arrive: (spanId: string) => ReadonlyArray<Verdict>
  /** All verdicts that wait still, and then wait no longer. */
  readonly left: () => ReadonlyArray<Verdict>
  /** Notes that a call of the recommendation was reported below a span. */
  readonly reportedBelow: (spanId: string | undefined, recommendationId: string) => void
  readonly isReportedBelow: (spanId: string, recommendationId: string) => boolean
}

export const createMemory = (): Memory => {
  const known = new Map<string, Known>()
  const waiting = new Map<string, ReadonlyArray<Verdict>>()
  let waitingCount = 0
  const reported = new Map<string, string>()
  const arrive = (spanId: string): ReadonlyArray<Verdict> => {
    const verdicts = waiting.get(spanId) ?? []
    waiting.delete(spanId)
    waitingCount -= verdicts.length
    return verdicts
  }
  return {
    add: (id, one) => {
      if (id !== undefined) remember(known, id, one)
    },
    find: (...ids) => ids.map((id) => known.get(id ?? "")).find((one) => one !== undefined),
    wait: (spanId, verdict) => {
      waiting.set(spanId, [...waiting.get(spanId) ?? [], verdict])
      waitingCount++
      const [oldest] = waiting.keys()
      return waitingCount > waitingMax && oldest !== undefined ? arrive(oldest) : []
    },
    arrive,
    left: () => [...waiting.keys()].flatMap(arrive),
    reportedBelow: (spanId, recommendationId) => {
      if (spanId !== undefined) remember(reported, spanId, recommendationId)
    },
    isReportedBelow: (spanId, recommendationId) => reported.get(spanId) === recommendationId
  }
}
