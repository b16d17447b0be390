/* Remembers spans with a recommendation, and evaluations that came before their span's end. */
import type { EvidenceSource } from "../index.ts"
import { remember } from "../Remembered.ts"

/** A call, or a span around a call, with a recommendation. */
export interface Known {
  /** The call's key in all its reports. */
  readonly key: string
  readonly recommendationId: string
  readonly modelId: string | undefined
}

export interface Verdict {
  readonly name: string
  readonly quality: number
  readonly source: EvidenceSource
  readonly notes: string | undefined
  /** The id of the judged response; undefined if only its span shows it. */
  readonly responseId: string | undefined
}

/** Largest number of verdicts that wait for their span's end, count. */
const waitingMax = 1_000

export interface Memory {
  /** Remembers a call by the id of its span or its response. */
  readonly add: (id: string | undefined, one: Known) => void
  /** The call of the first known id. */
  readonly find: (...ids: ReadonlyArray<string | undefined>) => Known | undefined
  /** Keeps a verdict until its span ends. Returns the oldest span's verdicts if too many wait. */
  readonly wait: (spanId: string, verdict: Verdict) => ReadonlyArray<Verdict>
  /** Takes the waiting verdicts of a span. */
  readonly arrive: (spanId: string) => ReadonlyArray<Verdict>
  /** Takes all waiting verdicts. */
  readonly left: () => ReadonlyArray<Verdict>
  /** Records that a call below a span was reported for this recommendation. */
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
