/* Remembers spans with a recommendation, and evaluations that arrived before their span ended. */
import type { EvidenceSource } from "../index.ts"
import { remember } from "../Remembered.ts"

export interface Known {
  /** Part of the idempotency keys of all reports about this call. */
  readonly key: string
  readonly recommendationId: string
  readonly modelId: string | undefined
}

export interface Verdict {
  readonly name: string
  readonly quality: number
  readonly source: EvidenceSource
  readonly notes: string | undefined
  readonly responseId: string | undefined
}

const waitingMax = 1_000

export interface Memory {
  readonly add: (id: string | undefined, one: Known) => void
  readonly find: (...ids: ReadonlyArray<string | undefined>) => Known | undefined
  /** Keeps a verdict until its span ends; returns the oldest span's verdicts if over 1,000 verdicts wait. */
  readonly wait: (spanId: string, verdict: Verdict) => ReadonlyArray<Verdict>
  readonly arrive: (spanId: string) => ReadonlyArray<Verdict>
  /** Removes and returns all waiting verdicts. */
  readonly left: () => ReadonlyArray<Verdict>
  /** Records that a call inside a span was reported for this recommendation. */
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
