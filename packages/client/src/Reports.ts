/* The queue of reports: bounded, off the caller's path, three attempts each; lost reports are counted. */
import { notify, textOf } from "./ForeignValues.ts"
import { type Post, Refused, sleep, waitMaxMs, within } from "./Transport.ts"
import type { Warn } from "./Warning.ts"
import type { FeedbackRequest } from "./Wire.ts"

/** A report that will not arrive. */
export interface DroppedReport {
  /** The queue was full; the service refused it; it could not be reached; or it did not know the decision. */
  readonly reason: "queue_full" | "refused" | "unreachable" | "not_accepted"
  readonly detail: string
  readonly report: FeedbackRequest
}

/** Attempts of a report, count; there is another after 429 and when the service is not there. */
const attemptsMax = 3
const unavailable: ReadonlyArray<number> = [502, 503, 504]
const attemptLimitMs = 3_000
const backoffMs = 100
/** How long a process waits before it tries a refused key again, in ms. */
const keyRetryMs = 60_000
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

/** The queue, and what lets it go on at once when a key that was refused is accepted. */
interface Queue extends Reports {
  readonly keyAccepted: () => void
}

/** Why a report did not arrive; `unauthorized` is no loss: its key may be mended. */
interface Failure {
  readonly reason: DroppedReport["reason"] | "unauthorized"
  readonly detail: string
}

/** What tries a refused key again, one per client of this process, in turn; false if it need not. */
const keyTries = new Set<() => boolean>()
let isTrying = false

/** Lets one try happen a minute in this process: more of them would block its address for all. */
const tryInTurn = async (tryKey: () => boolean): Promise<void> => {
  keyTries.add(tryKey)
  if (isTrying) return
  isTrying = true
  while (keyTries.size > 0) {
    await sleep(keyRetryMs)
    for (const next of keyTries) {
      keyTries.delete(next)
      if (next()) break
    }
  }
  isTrying = false
}

export const createReports = (
  post: Post,
  queueMax: number,
  onDropped: ((dropped: DroppedReport) => void) | undefined,
  warn: Warn
): Queue => {
  const waiting: Array<FeedbackRequest> = []
  let running = 0
  let lost = 0
  let isKeyRefused = false

  const drop = (report: FeedbackRequest, reason: DroppedReport["reason"], detail: string): void => {
    lost++
    notify(() => onDropped?.({ reason, detail, report }))
  }

  const deliver = async (report: FeedbackRequest): Promise<Failure | null> => {
    for (let attempt = 1;; attempt++) {
      try {
        const json = JSON.stringify(report)
        const send = (signal: AbortSignal): Promise<unknown> => post("/v1/feedback", json, signal)
        const { accepted, warnings } = Object(await within(attemptLimitMs, null, false, send))
        return accepted === true ? null : { reason: "not_accepted", detail: String(warnings) }
      } catch (error) {
        const detail = textOf(error)
        const refused: Partial<Refused> = error instanceof Refused ? error : {}
        const { retryAfterMs = 0, status = 0 } = refused
        if (status === 401) return { reason: "unauthorized", detail }
        const isThere = status > 0 && !unavailable.includes(status)
        if (attempt === attemptsMax || (isThere && status !== 429)) {
          return { reason: isThere ? "refused" : "unreachable", detail }
        }
        await sleep(Math.max(Math.min(retryAfterMs, waitMaxMs), backoffMs * 2 ** (attempt - 1)))
      }
    }
  }

  /** Sends what waits, one after another, until nothing does; while the key is refused, the first alone. */
  const pump = async (): Promise<void> => {
    running++
    do {
      const report = waiting.shift()
      if (!report) break
      const failure = await deliver(report)
      if (failure?.reason === "unauthorized" || (failure?.reason === "unreachable" && isKeyRefused)) {
        waiting.unshift(report)
        keyRefused(failure.detail)
      } else {
        if (failure) drop(report, failure.reason, failure.detail)
        keyAccepted()
      }
    } while (!isKeyRefused)
    running--
  }

  const tryKey = (): boolean => {
    if (isKeyRefused) void pump()
    return isKeyRefused
  }

  const keyRefused = (detail: string): void => {
    warn("unauthorized", `reports wait, the key is refused: ${detail}`)
    isKeyRefused = true
    void tryInTurn(tryKey)
  }

  const keyAccepted = (): void => {
    if (!isKeyRefused) return
    isKeyRefused = false
    for (let i = 0; i < concurrencyMax; i++) void pump()
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
      if (running < concurrencyMax && !isKeyRefused) void pump()
      return true
    },
    flush: async (limitMs = 5_000) => {
      const endMs = performance.now() + limitMs
      // This timer keeps the process alive: its caller waits.
      while (running && performance.now() < endMs) {
        await new Promise((resolve) => setTimeout(resolve, lookMs))
      }
      return pending() === 0
    },
    pending,
    dropped: () => lost,
    keyAccepted
  }
}
