/* The queue of reports: bounded, off the caller's path, three attempts each; what it loses is counted. */
import { notify, textOf } from "./Foreign.ts"
import { type Post, Refused, sleep, within } from "./Transport.ts"
import type { FeedbackRequest } from "./Wire.ts"

/** A report that will not arrive. */
export interface DroppedReport {
  /** The queue was full; the service refused it; it could not be reached; or it did not know the decision. */
  readonly reason: "queue_full" | "refused" | "unreachable" | "not_accepted"
  readonly detail: string
  readonly report: FeedbackRequest
}

/** Attempts of a report, count, and the statuses after which there is another: the specification's. */
const attemptsMax = 3
const unavailable: ReadonlyArray<number> = [502, 503, 504]
const attemptLimitMs = 3_000
const backoffMs = 100
/** How often `flush` looks whether all have gone. */
const lookMs = 5
/** Reports that are under way at once, count. */
const concurrencyMax = 4

export interface Reports {
  /** Puts a report into the queue; false when it is full. */
  readonly report: (report: FeedbackRequest) => boolean
  /** Waits until all reports have gone, at most `limitMs`, 5,000 by default; yields whether they have. */
  readonly flush: (limitMs?: number) => Promise<boolean>
  /** Reports that wait or are under way, count. */
  readonly pending: () => number
  /** Reports that were lost, count. */
  readonly dropped: () => number
}

export const createReports = (
  post: Post,
  queueMax: number,
  onDropped: ((dropped: DroppedReport) => void) | undefined
): Reports => {
  const waiting: Array<FeedbackRequest> = []
  let running = 0
  let lost = 0

  const drop = (report: FeedbackRequest, reason: DroppedReport["reason"], detail: string): void => {
    lost++
    notify(() => onDropped?.({ reason, detail, report }))
  }

  const deliver = async (report: FeedbackRequest): Promise<void> => {
    for (let attempt = 1;; attempt++) {
      try {
        const json = JSON.stringify(report)
        const send = (signal: AbortSignal): Promise<unknown> => post("/v1/feedback", json, signal)
        const answer = await within(attemptLimitMs, null, false, send)
        const { accepted, warnings } = Object(answer)
        if (accepted !== true) drop(report, "not_accepted", String(warnings))
        return
      } catch (error) {
        const isRefused = error instanceof Refused
        if (isRefused && !unavailable.includes(error.status)) return drop(report, "refused", textOf(error))
        if (attempt === attemptsMax) return drop(report, "unreachable", textOf(error))
        await sleep(backoffMs * 2 ** (attempt - 1))
      }
    }
  }

  const pump = async (): Promise<void> => {
    running++
    for (let next: FeedbackRequest | undefined; (next = waiting.shift());) await deliver(next)
    running--
  }

  const pending = (): number => waiting.length + running

  return {
    report: (given) => {
      // A report of its own at each call, and the same one at each attempt.
      const report = { idempotency_key: crypto.randomUUID(), ...given }
      if (pending() >= queueMax) {
        drop(report, "queue_full", `${queueMax} wait`)
        return false
      }
      waiting.push(report)
      if (running < concurrencyMax) void pump()
      return true
    },
    flush: async (limitMs = 5_000) => {
      const endMs = performance.now() + limitMs
      // This timer keeps the process alive: its caller waits.
      while (running && performance.now() < endMs) {
        await new Promise((resolve) => setTimeout(resolve, lookMs))
      }
      return !running
    },
    pending,
    dropped: () => lost
  }
}
